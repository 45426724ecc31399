package files

import (
	"path"
	"path/filepath"
	"strings"
)

// folders that tools fill and nobody reads.
func builtInFolder(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", "__pycache__", ".venv", ".tox",
		".mypy_cache", ".pytest_cache", ".ruff_cache", ".cache", ".gradle", ".terraform", ".Trash", "lost+found",
		".Spotlight-V100", ".fseventsd", ".DocumentRevisions-V100", ".TemporaryItems", ".stversions", ".stfolder":
		return true
	}
	return strings.HasPrefix(name, ".Trash-") || strings.Contains(name, ".sb-")
}

// builtIn reports whether a name is by itself of no interest: what tools keep
// for themselves, and the passing files of editors, savers and downloads.
func builtIn(name string, dir bool) bool {
	if dir {
		return builtInFolder(name)
	}
	switch name {
	case ".DS_Store", "Thumbs.db", "desktop.ini", ".localized":
		return true
	}
	for _, suffix := range [...]string{"~", ".swp", ".swo", ".swx", ".part", ".partial", ".crdownload", ".tmp", ".kate-swp", ".vsctmp", "___jb_tmp___", "___jb_old___"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	for _, prefix := range [...]string{".#", ".goutputstream-", ".~lock.", "~$", ".nfs", ".fuse_hidden", ".syncthing.", "~syncthing~"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	if len(name) > 2 && name[0] == '#' && name[len(name)-1] == '#' {
		return true
	}
	return name == "4913" || sedTemporary(name) || strings.Contains(name, ".sb-")
}

// sedTemporary recognises the file that "sed -i" writes into: "sed" and six
// random letters and digits, which hardly ever are all lower-case.
func sedTemporary(name string) bool {
	random, ok := strings.CutPrefix(name, "sed")
	if !ok || len(random) != 6 {
		return false
	}
	mixed := false
	for i := range len(random) {
		switch c := random[i]; {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z':
			mixed = true
		case c < 'a' || c > 'z':
			return false
		}
	}
	return mixed
}

// Secret reports whether a path looks like a secret, by its name. Such files
// are named and never read.
func Secret(path string) bool { return secret(filepath.ToSlash(path)) }

func secret(full string) bool {
	name := strings.ToLower(path.Base(full))
	folder := path.Base(path.Dir(full))
	switch {
	case folder == ".ssh":
		return name != "config" && name != "known_hosts" && name != "authorized_keys" && !strings.HasSuffix(name, ".pub")
	case folder == ".gnupg", strings.Contains(full, "/.gnupg/"), strings.Contains(full, "/.password-store/"):
		return true
	case folder == ".kube" && name == "config":
		return true
	}
	switch name {
	case ".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials", ".npmrc", ".pypirc",
		".vault_pass", ".vault-token", "kubeconfig", "shadow", "gshadow", "master.key", "login.keychain-db":
		return true
	}
	if name == ".env" || name == ".envrc" || strings.HasPrefix(name, ".env.") {
		return !strings.HasSuffix(name, ".example") && !strings.HasSuffix(name, ".sample") && !strings.HasSuffix(name, ".template")
	}
	for _, prefix := range [...]string{"id_", "credentials", "wallet", "secrets.", "secret.", "service-account"} {
		if strings.HasPrefix(name, prefix) {
			return !strings.HasSuffix(name, ".pub")
		}
	}
	switch path.Ext(name) {
	case ".env", ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".kdb", ".wallet", ".ovpn", ".tfstate", ".tfvars", ".agekey", ".ppk":
		return true
	}
	return false
}

// configuration reports whether a path is configuration that decides what a
// machine runs, or who may enter it.
func configuration(full string) bool {
	name := path.Base(full)
	switch path.Base(path.Dir(full)) {
	case ".ssh":
		return name == "config" || name == "authorized_keys"
	case "cron.d", "cron.daily", "cron.hourly", "cron.weekly", "cron.monthly", "crontabs", "sudoers.d",
		"sshd_config.d", "profile.d", "LaunchAgents", "LaunchDaemons", "autostart":
		return true
	case "etc":
		switch name {
		case "hosts", "fstab", "passwd", "group", "resolv.conf", "nsswitch.conf", "ld.so.preload", "environment":
			return true
		}
	}
	switch name {
	case "crontab", "sshd_config", "ssh_config", "sudoers", "authorized_keys", ".bashrc", ".bash_profile", ".bash_login",
		".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", "config.fish", ".xprofile", ".xsessionrc", ".gitconfig":
		return true
	}
	switch path.Ext(name) {
	case ".service", ".timer", ".socket", ".mount", ".automount":
		return true
	}
	return false
}
