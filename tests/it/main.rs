//! The integration tests: one binary, one file per area.

// `cfg(test)` marks the helpers as test code for clippy.
#[cfg(test)]
mod action;
#[cfg(test)]
mod answers;
#[cfg(test)]
#[cfg(test)]
mod backlog;
#[cfg(test)]
mod backlog_commands;
#[cfg(test)]
mod backlog_kills;
#[cfg(test)]
mod backlog_store;
#[cfg(test)]
mod before_paying;
#[cfg(test)]
mod beneath;
#[cfg(test)]
mod built_in;
#[cfg(test)]
mod clarify;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod concurrency;
#[cfg(test)]
mod crash_points;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod debate;
#[cfg(test)]
mod debate_again;
#[cfg(test)]
mod debate_argument;
#[cfg(test)]
mod debate_argument_rules;
#[cfg(test)]
mod debate_brief;
#[cfg(test)]
mod debate_panel;
#[cfg(test)]
mod debate_panel_ends;
#[cfg(test)]
mod debate_resume;
#[cfg(test)]
mod debate_roles;
#[cfg(test)]
mod debate_rounds;
#[cfg(test)]
mod debate_rules;
#[cfg(test)]
mod debate_seats;
#[cfg(test)]
mod debate_stops;
#[cfg(test)]
mod decisions;
#[cfg(test)]
mod diff;
#[cfg(test)]
mod diff_files;
#[cfg(test)]
mod diff_hidden;
#[cfg(test)]
mod discover;
#[cfg(test)]
mod discover_crashes;
#[cfg(test)]
mod discover_failures;
#[cfg(test)]
mod discover_quality;
#[cfg(test)]
mod discover_stalled;
#[cfg(test)]
mod discuss;
#[cfg(test)]
#[cfg(test)]
mod discuss_hostile;
#[cfg(test)]
mod discuss_kills;
#[cfg(test)]
mod discuss_ladder;
#[cfg(test)]
mod discuss_policy;
#[cfg(test)]
mod discuss_presets;
#[cfg(test)]
mod discuss_refused;
#[cfg(test)]
mod discuss_seats;
#[cfg(test)]
mod discuss_seen;
#[cfg(test)]
mod discuss_silence;
#[cfg(test)]
mod discuss_stored;
#[cfg(test)]
mod dismiss;
#[cfg(test)]
mod docs;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod envelopes;
#[cfg(test)]
mod eval;
#[cfg(test)]
mod events;
#[cfg(test)]
mod exports;
#[cfg(test)]
mod fakes;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod git;
#[cfg(test)]
mod git_traps;
#[cfg(test)]
mod hooks;
#[cfg(test)]
mod hostile_state;
#[cfg(test)]
mod human;
#[cfg(test)]
mod ignore_files;
#[cfg(test)]
mod input;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod letter;
#[cfg(test)]
mod letter_words;
#[cfg(test)]
mod mcp_ends;
#[cfg(test)]
mod mcp_hostile;
#[cfg(test)]
mod mcp_install;
#[cfg(test)]
mod mcp_kinds;
#[cfg(test)]
mod mcp_load;
#[cfg(test)]
mod mcp_plugins;
#[cfg(test)]
mod mcp_runs;
#[cfg(test)]
mod mcp_tools;
#[cfg(test)]
mod mcp_tools_data;
#[cfg(test)]
mod mcp_tools_held;
#[cfg(test)]
mod mcp_tools_paths;
#[cfg(test)]
mod mcp_tools_undecided;
#[cfg(test)]
mod mcp_tools_words;
#[cfg(test)]
mod mcp_typed;
#[cfg(test)]
mod mcp_wire;
#[cfg(test)]
#[expect(dead_code, reason = "the unit tests use the rest")]
#[path = "../memfs/mod.rs"]
mod memfs;
#[cfg(test)]
mod money;
#[cfg(test)]
mod nesting;
#[cfg(test)]
mod one_vendor;
#[cfg(test)]
mod options;
#[cfg(test)]
mod outline;
#[cfg(test)]
mod page;
#[cfg(test)]
mod plan;
#[cfg(test)]
mod prioritize;
#[cfg(test)]
mod process;
#[cfg(test)]
mod process_control;
#[cfg(test)]
mod process_hosts;
#[cfg(test)]
mod prompts;
#[cfg(test)]
mod proof;
#[cfg(test)]
mod pull_request;
#[cfg(test)]
mod quota;
#[cfg(test)]
mod quotations;
#[cfg(test)]
mod read_repo;
#[cfg(test)]
mod redaction;
#[cfg(test)]
mod refused;
#[cfg(test)]
mod repairs;
#[cfg(test)]
mod results_agree;
#[cfg(test)]
mod resume;
#[cfg(test)]
mod review;
#[cfg(test)]
mod review_attendance;
#[cfg(test)]
mod review_bench;
#[cfg(test)]
mod review_hidden;
#[cfg(test)]
mod review_hostile;
#[cfg(test)]
mod review_kills;
#[cfg(test)]
mod review_reading;
#[cfg(test)]
mod review_rules;
#[cfg(test)]
mod review_trust;
#[cfg(test)]
mod sarif;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod security;
#[cfg(test)]
mod session_store;
#[cfg(test)]
mod sessions_again;
#[cfg(test)]
mod sessions_diff;
#[cfg(test)]
mod sessions_states;
#[cfg(test)]
mod sessions_terminate;
#[cfg(test)]
mod signals;
#[cfg(test)]
mod sinks;
#[cfg(test)]
mod sinks_cut;
#[cfg(test)]
mod standing;
#[cfg(test)]
mod state;
#[cfg(test)]
mod support;
#[cfg(test)]
mod surroundings;
#[cfg(test)]
mod tidy;
#[cfg(test)]
mod transcript;
#[cfg(test)]
mod triage;
#[cfg(test)]
mod trust;
#[cfg(test)]
mod verify;
#[cfg(test)]
mod versions;
mod watch;
