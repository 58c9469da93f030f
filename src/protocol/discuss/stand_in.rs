//! Signatures of the ladder, the groups and the rest, until they are merged.

pub(super) mod ladder {
    use super::super::model::{Recommendation, RiskLevel, Severity};

    #[derive(Clone, Copy)]
    pub(in super::super) struct Standing<'a> {
        pub(in super::super) ratings: &'a [u8],
        pub(in super::super) risk: Option<RiskLevel>,
        pub(in super::super) gap: bool,
        pub(in super::super) raised: bool,
    }

    pub(in super::super) fn severity(standing: Standing<'_>) -> Severity {
        let low = standing
            .ratings
            .iter()
            .filter(|rating| **rating <= 2)
            .count();
        let alone = standing.ratings.len() == 1 && low == 1;
        if standing.gap || standing.risk == Some(RiskLevel::Critical) || low > 1 || alone {
            Severity::High
        } else if standing.risk == Some(RiskLevel::High) || low == 1 {
            Severity::Medium
        } else if standing.raised {
            Severity::Low
        } else {
            Severity::None
        }
    }

    pub(in super::super) fn recommendation(
        severity: Severity,
        sign_off: bool,
        revisions: u32,
    ) -> Recommendation {
        match severity {
            Severity::High if sign_off || revisions > 0 => Recommendation::Escalate,
            Severity::High => Recommendation::Revise,
            Severity::Medium => Recommendation::ProceedWithCaution,
            Severity::Low | Severity::None => Recommendation::Proceed,
        }
    }
}

pub(super) mod themes {
    use super::super::model::{Theme, View, Voice};

    pub(in super::super) struct Grouped {
        pub(in super::super) themes: Vec<Theme>,
        pub(in super::super) views: Vec<View>,
    }

    pub(in super::super) fn group(_: &[Voice]) -> Grouped {
        Grouped {
            themes: Vec::new(),
            views: Vec::new(),
        }
    }
}

pub(super) mod divergence {
    use super::super::model::{Divergence, View, Voice};

    pub(in super::super) fn all(_: &[Voice], _: &[View]) -> Vec<Divergence> {
        Vec::new()
    }
}

pub(super) mod actions {
    use super::super::model::{ActionItem, Gap, Voice};

    pub(in super::super) fn gaps(_: &[Voice]) -> Vec<Gap> {
        Vec::new()
    }

    pub(in super::super) fn items(_: &[Voice], _: &[Gap]) -> Vec<ActionItem> {
        Vec::new()
    }
}

pub(super) mod basics {
    use super::super::input::{Artifact, Place};
    use super::super::model::Basics;

    pub(in super::super) fn basics(artifact: &Artifact, _: &[Place]) -> Basics {
        Basics {
            bytes: artifact.bytes,
            ..Basics::default()
        }
    }
}
