//! Requests in flight: how many, each id once.

use super::*;

fn id(number: usize) -> RequestId {
    RequestId::String(number.to_string().into())
}

#[test]
fn there_are_so_many_and_no_more_until_one_is_with_the_writer() {
    let flight = Flight::default();
    for number in 0..MOST {
        flight.take(&id(number)).unwrap();
    }
    assert_eq!(flight.take(&id(MOST)), Err(Refusal::Full));
    flight.answered(&id(0));
    assert_eq!(flight.take(&id(MOST)), Err(Refusal::Full));
    flight.sent(&id(0));
    assert_eq!(flight.take(&id(MOST)), Ok(()));
}

#[test]
fn an_id_is_free_again_once_its_answer_is_written() {
    let flight = Flight::default();
    flight.take(&id(1)).unwrap();
    assert_eq!(flight.take(&id(1)), Err(Refusal::Taken));
    // A number is not the text of it.
    assert_eq!(flight.take(&RequestId::Number(1)), Ok(()));
    flight.sent(&RequestId::Number(1));
    flight.answered(&id(1));
    assert_eq!(flight.take(&id(1)), Err(Refusal::Taken));
    flight.sent(&id(1));
    assert!(flight.is_empty());
    assert_eq!(flight.take(&id(1)), Ok(()));
}

#[test]
fn what_is_cancelled_is_waited_for_by_nobody_and_its_id_is_not_used_again() {
    let flight = Flight::default();
    flight.take(&id(1)).unwrap();
    flight.cancel(&id(1));
    assert!(flight.is_empty());
    assert_eq!(flight.take(&id(1)), Err(Refusal::Taken));
    // Too late: the answer goes out all the same, and is waited for.
    flight.take(&id(2)).unwrap();
    flight.answered(&id(2));
    flight.cancel(&id(2));
    assert!(!flight.is_empty());
    // Of nobody.
    flight.cancel(&id(3));
    assert_eq!(flight.take(&id(3)), Ok(()));
}

#[test]
fn cancelled_ids_are_not_remembered_for_ever() {
    let flight = Flight::default();
    for number in 0..=REMEMBERED {
        flight.take(&id(number)).unwrap();
        flight.cancel(&id(number));
    }
    assert_eq!(flight.take(&id(1)), Err(Refusal::Taken));
    assert_eq!(flight.take(&id(0)), Ok(()));
}
