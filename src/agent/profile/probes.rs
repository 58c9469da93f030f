//! What `doctor` asks a CLI without asking a model, as data.

use crate::config::agents::ProfileName;

/// How to look at one CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probes {
    /// Programs of this profile, to look for.
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
    /// What is known to go wrong, one sentence each.
    pub traps: &'static [&'static str],
}

const HOME_FOLDERS: &[&str] =
    &[".local/bin", ".npm-global/bin", ".npm/bin", ".bun/bin", ".volta/bin", ".yarn/bin", "bin"];
const CLAUDE_HOME_FOLDERS: &[&str] = &[
    ".claude/local",
    ".local/bin",
    ".npm-global/bin",
    ".npm/bin",
    ".bun/bin",
    ".volta/bin",
    ".yarn/bin",
    "bin",
];
const FOLDERS: &[&str] = &["/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin"];

/// Returns how to look at a CLI.
#[expect(clippy::too_many_lines, reason = "one table, a few lines for each CLI")]
pub fn probes(profile: ProfileName) -> Probes {
    let common = Probes {
        program: "",
        version_args: &["--version"],
        measured: "",
        login_args: &[],
        logged_out: "",
        key_variables: &[],
        help_args: &["--help"],
        flags: &[],
        home_folders: HOME_FOLDERS,
        folders: FOLDERS,
        install: "",
        log_in: "",
        traps: &[],
    };
    match profile {
        ProfileName::Claude => Probes {
            program: "claude",
            measured: "2.1.330",
            login_args: &["auth", "status"],
            logged_out: "\"loggedIn\":false",
            key_variables: &[
                "ANTHROPIC_API_KEY",
                "ANTHROPIC_AUTH_TOKEN",
                "CLAUDE_CODE_OAUTH_TOKEN",
            ],
            flags: &[
                "--print",
                "--output-format",
                "--verbose",
                "--tools",
                "--strict-mcp-config",
                "--setting-sources",
                "--disable-slash-commands",
                "--system-prompt",
                "--model",
                "--no-session-persistence",
            ],
            home_folders: CLAUDE_HOME_FOLDERS,
            install: "npm install -g @anthropic-ai/claude-code@2.1.330",
            log_in: "run `claude` and type /login, or set ANTHROPIC_API_KEY",
            traps: &[
                "`npm install` without a version picks an old release on node 20.",
                "The login check does not test a key in the environment.",
            ],
            ..common
        },
        ProfileName::Codex => Probes {
            program: "codex",
            measured: "0.169.0",
            login_args: &["login", "status"],
            logged_out: "Not logged in",
            key_variables: &["CODEX_API_KEY"],
            help_args: &["exec", "--help"],
            flags: &[
                "--json",
                "--ephemeral",
                "--skip-git-repo-check",
                "--sandbox",
                "--disable",
                "--config",
                "--model",
            ],
            install: "npm install -g @openai/codex",
            log_in: "run `codex login`, or set CODEX_API_KEY",
            traps: &[
                "OPENAI_API_KEY is ignored by the built-in provider: use CODEX_API_KEY or `codex login --with-api-key`.",
                "It reports no cost and no model name: set `model`, else each call is charged its reserve.",
            ],
            ..common
        },
        ProfileName::Gemini => Probes {
            program: "gemini",
            measured: "0.61.0",
            key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            flags: &[
                "--skip-trust",
                "--approval-mode",
                "--allowed-mcp-server-names",
                "--policy",
                "--output-format",
                "--model",
            ],
            install: "npm install -g @google/gemini-cli",
            log_in: "run `gemini` once and choose a login, or set GEMINI_API_KEY",
            traps: &[
                "It retries 429 and 5xx by itself for about four minutes; only the time limit ends that.",
                "Without a model it asks a router model first: set `model`.",
                "A prompt over the context window is answered with nothing and exit code 0.",
            ],
            ..common
        },
        ProfileName::Opencode => Probes {
            program: "opencode",
            measured: "1.18.33",
            login_args: &["auth", "list"],
            help_args: &["run", "--help"],
            flags: &["--pure", "--format", "--title", "--dir", "--model"],
            home_folders: &[".opencode/bin", ".local/bin", ".npm-global/bin", ".bun/bin"],
            install: "npm install -g opencode-ai",
            log_in: "run `opencode auth login`",
            traps: &["It needs about 600 MB of memory and ten seconds to start."],
            ..common
        },
        ProfileName::Qwen => Probes {
            program: "qwen",
            measured: "0.24.4",
            key_variables: &["OPENAI_API_KEY"],
            flags: &["--bare", "--auth-type", "--approval-mode", "--output-format", "--model"],
            install: "npm install -g @qwen-code/qwen-code",
            log_in: "set OPENAI_API_KEY and OPENAI_BASE_URL",
            traps: &["For a model it does not know it refuses prompts over 177,000 tokens."],
            ..common
        },
        ProfileName::Copilot => Probes {
            program: "copilot",
            measured: "1.0.102",
            key_variables: &["GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN"],
            flags: &[
                "--output-format",
                "--no-color",
                "--no-auto-update",
                "--no-custom-instructions",
                "--disable-builtin-mcps",
                "--no-ask-user",
                "--available-tools",
            ],
            install: "npm install -g @github/copilot",
            log_in: "run `copilot` and type /login",
            traps: &["Its first run unpacks 240 MB into the home folder."],
            ..common
        },
        ProfileName::Generic => common,
    }
}
