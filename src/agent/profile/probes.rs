//! How `doctor` probes a CLI without asking a model, as data.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probes {
    /// Its program; an agent whose program has this name uses this profile. Empty: any.
    pub program: &'static str,
    /// Arguments that print the version.
    pub version_args: &'static [&'static str],
    /// The version with which the profile was measured.
    pub measured: &'static str,
    /// Arguments that check the login; exit code 0 means logged in. Empty: the CLI has no such
    /// command. The check ignores keys in the environment.
    pub login_args: &'static [&'static str],
    /// The output of that check, with another exit code, when nobody is logged in. Empty: unknown.
    pub logged_out: &'static str,
    /// Variables for a key, any of which makes a login unnecessary.
    pub key_variables: &'static [&'static str],
    /// Arguments that print the help naming the flags below.
    pub help_args: &'static [&'static str],
    /// Flags that the profile uses and the help should name.
    pub flags: &'static [&'static str],
    /// Folders below the home folder where installers put it and only shell aliases reach it.
    pub home_folders: &'static [&'static str],
    /// Such folders elsewhere.
    pub folders: &'static [&'static str],
    pub install: &'static str,
    pub log_in: &'static str,
    /// Known traps, one sentence each.
    pub traps: &'static [&'static str],
}

impl Probes {
    /// The probes of an unknown program; most of its folders are common to all CLIs.
    pub(super) const UNKNOWN: Self = Self {
        program: "",
        version_args: &["--version"],
        measured: "",
        login_args: &[],
        logged_out: "",
        key_variables: &[],
        help_args: &["--help"],
        flags: &[],
        home_folders: &[
            ".local/bin",
            ".npm-global/bin",
            ".npm/bin",
            ".bun/bin",
            ".volta/bin",
            ".yarn/bin",
            "bin",
        ],
        folders: &["/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin"],
        install: "",
        log_in: "",
        traps: &[],
    };
}
