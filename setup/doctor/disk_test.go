package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// TestEncryption holds what lies under the state folder against what is said of it.
func TestEncryption(t *testing.T) {
	const luks = " dm-0/dev=253:0 dm-0/dm/name=home dm-0/dm/uuid=CRYPT-LUKS2-a1-home dm-0/slaves/sda1="
	for name, test := range map[string]struct {
		device, system string
		devices        string // files of /sys/class/block
		program, says  string
		state          doctor.State
		detail         string
	}{
		"LUKS":                    {"/dev/dm-0", "ext4", luks, "", "", doctor.OK, "home is encrypted (dm-crypt, LUKS2)"},
		"LVM upon LUKS":           {"/dev/dm-1", "xfs", luks + " dm-1/dev=253:1 dm-1/dm/name=vg-home dm-1/dm/uuid=LVM-b2 dm-1/slaves/dm-0=", "", "", doctor.OK, "home is encrypted"},
		"LUKS upon LVM":           {"/dev/dm-0", "ext4", strings.Replace(luks, "sda1", "dm-9", 1), "", "", doctor.OK, "home is encrypted"},
		"half a RAID":             {"/dev/md0", "ext4", luks + " md0/dev=9:0 md0/slaves/dm-0= md0/slaves/dasda= dasda/dev=94:0", "", "", doctor.Note, "/dev/dasda is not encrypted"},
		"half a RAID, unknown":    {"/dev/md0", "ext4", luks + " md0/dev=9:0 md0/slaves/dm-0= md0/slaves/sdb=", "", "", doctor.Skipped, "it is on /dev/md0 (ext4)"},
		"a partition":             {"/dev/sda1", "ext4", "../../devices/sda/sda1/dev=8:1 ../../devices/sda/sda1/partition=1 ../../devices/sda/dev=8:0 sda1>../../devices/sda/sda1", "", "", doctor.Note, "/dev/sda1 is not encrypted: whoever takes the disk"},
		"a partition of LUKS":     {"/dev/md0p1", "ext4", luks + " ../../devices/md0/md0p1/dev=9:1 ../../devices/md0/md0p1/partition=1 ../../devices/md0/slaves/dm-0= md0p1>../../devices/md0/md0p1", "", "", doctor.OK, "home is encrypted"},
		"what is proven alone":    {"/dev/dm-0", "ext4", strings.Replace(luks, "LUKS2", "VERITY", 1) + " sda1/dev=8:1", "", "", doctor.Note, "/dev/sda1 is not encrypted"},
		"a mapping by hand":       {"/dev/dm-0", "ext4", strings.Replace(luks, "CRYPT-LUKS2-a1-home", "", 1) + " sda1/dev=8:1", "", "", doctor.Skipped, "cannot be seen"},
		"a file as a disk":        {"/dev/loop0", "ext4", "loop0/dev=7:0 loop0/loop/backing_file=/x", "", "", doctor.Skipped, "cannot be seen"},
		"one upon itself":         {"/dev/md0", "ext4", "md0/dev=9:0 md0/slaves/md0=", "", "", doctor.Skipped, "cannot be seen"},
		"no device":               {"overlay", "overlay", "", "", "", doctor.Skipped, "it is on overlay (overlay)"},
		"a folder of another one": {"/home/.a", "ecryptfs", "", "", "", doctor.OK, "(ecryptfs)"},
		"fscrypt":                 {"/dev/sda", "ext4", "sda/dev=8:0", "lsattr", "----i---E----- /home/anna", doctor.OK, "(fscrypt)"},
		"other flags":             {"/dev/sda", "ext4", "sda/dev=8:0", "lsattr", "--------e----- /home/Eve", doctor.Note, "is not encrypted"},
		"zfs, encrypted":          {"pool/home", "zfs", "", "zfs", "aes-256-gcm", doctor.OK, "encryption aes-256-gcm"},
		"zfs, not":                {"pool/home", "zfs", "", "zfs", "off", doctor.Note, "it is on pool/home (zfs), encryption off"},
		"zfs that does not say":   {"pool/home", "zfs", "", "", "", doctor.Skipped, "cannot be seen"},
		"FileVault":               {"", "apfs", "", "fdesetup", "FileVault is On.", doctor.OK, "FileVault is On"},
		"no FileVault":            {"", "apfs", "", "fdesetup", "FileVault is Off.", doctor.Note, "FileVault is Off: whoever"},
		"FileVault under way":     {"", "apfs", "", "fdesetup", "Encryption in progress: Percent completed = 4", doctor.Skipped, "in progress"},
	} {
		t.Run(name, func(t *testing.T) {
			fault{"", func(t *testing.T, p *patient) {
				write(t, p.dir+"/sys/class/block/none/dev", "", 0o600)
				for _, file := range strings.Fields(test.devices) {
					path, text, plain := strings.Cut(file, "=")
					if link, to, ok := strings.Cut(path, ">"); ok && !plain { // as the kernel shows a part of a disk
						if err := os.Symlink(to, filepath.Join(p.dir, "sys/class/block", link)); err != nil {
							t.Fatal(err)
						}
						continue
					}
					write(t, filepath.Join(p.dir, "sys/class/block", path), text+"\n", 0o600)
				}
				if test.program != "" {
					write(t, p.dir+"/bin/"+test.program, "#!/bin/sh\necho '"+test.says+"'\n", 0o700)
				}
				t.Setenv("PATH", p.dir+"/bin")
				real, err := filepath.EvalSymlinks(p.dir)
				if err != nil {
					t.Fatal(err)
				}
				// A mount beside it whose name begins alike, one above it, and another below what is on top.
				write(t, p.dir+"/mountinfo", "20 1 8:9 / / rw - ext4 /dev/other rw\n21 20 8:8 / "+real+"/st rw - ext4 /dev/other rw\n"+
					"22 20 0:9 / "+real+" rw - tmpfs none rw\n23 20 0:0 / "+real+" rw - "+test.system+" "+test.device+" rw\n", 0o600)
				t.Setenv("HOST_PROC_MOUNTINFO", p.dir+"/mountinfo")
				p.env["HOST_SYS"] = p.dir + "/sys"
			}, "encryption", test.state, test.detail}.told(t, "no secret")
		})
	}
}
