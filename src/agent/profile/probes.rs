//! How `doctor` looks at a CLI without asking a model, as data.

/// How to look at one CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probes {
    /// Its program; an agent whose program is called so has this profile. Empty: any.
    pub program: &'static str,
    /// Prints the version.
    pub version_args: &'static [&'static str],
    /// The version that the profile was measured with.
    pub measured: &'static str,
    /// Asks for the login; exit code 0 means logged in. Empty: the CLI has no such command.
    /// It knows nothing of keys in the environment.
    pub login_args: &'static [&'static str],
    /// The words by which that check says, with another exit code, that nobody is logged in. Empty: not known.
    pub logged_out: &'static str,
    /// Variables that hold a key, any of which makes a login unnecessary.
    pub key_variables: &'static [&'static str],
    /// Prints the help that names the flags below.
    pub help_args: &'static [&'static str],
    /// Flags that the profile uses and the help should name.
    pub flags: &'static [&'static str],
    /// Folders below the home where installers put it and only shell aliases reach it.
    pub home_folders: &'static [&'static str],
    /// Such folders elsewhere.
    pub folders: &'static [&'static str],
    /// How to install it.
    pub install: &'static str,
    /// How to log in.
    pub log_in: &'static str,
    /// Known traps, one sentence each.
    pub traps: &'static [&'static str],
}

impl Probes {
    /// Those of a program of which nothing is known; most of its folders are every CLI's.
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
