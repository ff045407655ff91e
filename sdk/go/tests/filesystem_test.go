package tests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"example.com/longshore"
	"example.com/longshore/pkg/filesystem"
)

// openFiles starts an agent that may do what it is asked below the folder.
func openFiles(t *testing.T) (filesystem.Interface, string) {
	t.Helper()
	root := t.TempDir()
	tables := fmt.Sprintf("[modules.filesystem.settings]\nallowed_roots = ['%s']", root)
	files, err := filesystem.New(open(t, tables, longshore.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return files, root
}

func expectThere(t *testing.T, ctx context.Context, files filesystem.Interface, path string, wanted bool) {
	t.Helper()
	exists, err := files.PathExists(ctx, &filesystem.PathExistsRequest{Path: path})
	if err != nil || exists.Exists != wanted {
		t.Errorf("PathExists of %s: %+v, %v", path, exists, err)
	}
	valid, err := files.PathValid(ctx, &filesystem.PathValidRequest{Path: path})
	if err != nil || valid.Valid != wanted {
		t.Errorf("PathValid of %s: %+v, %v", path, valid, err)
	}
}

func TestDirectoriesAreMadeAndRemoved(t *testing.T) {
	files, root := openFiles(t)
	ctx := withTime(t)
	path := filepath.Join(root, "pods", "ä b", "mount")
	expectThere(t, ctx, files, path, false)
	if _, err := files.Mkdir(ctx, &filesystem.MkdirRequest{Path: path}); err != nil {
		t.Fatal(err)
	}
	if found, err := os.Stat(path); err != nil || !found.IsDir() {
		t.Error(err)
	}
	expectThere(t, ctx, files, path, true)
	link, err := files.IsSymlink(ctx, &filesystem.IsSymlinkRequest{Path: path})
	if err != nil || link.IsSymlink {
		t.Errorf("%+v, %v", link, err)
	}
	pods := filepath.Join(root, "pods")
	_, err = files.Rmdir(ctx, &filesystem.RmdirRequest{Path: pods})
	expectCode(t, 9, err)
	if _, err = files.RmdirContents(ctx, &filesystem.RmdirContentsRequest{Path: pods}); err != nil {
		t.Error(err)
	}
	expectThere(t, ctx, files, filepath.Dir(path), false)
	expectThere(t, ctx, files, pods, true)
	if _, err = files.Mkdir(ctx, &filesystem.MkdirRequest{Path: path}); err != nil {
		t.Error(err)
	}
	if _, err = files.Rmdir(ctx, &filesystem.RmdirRequest{Path: pods, Force: true}); err != nil {
		t.Error(err)
	}
	expectThere(t, ctx, files, pods, false)
}

func TestLinksAreMadeWhereTheSystemMakesThem(t *testing.T) {
	files, root := openFiles(t)
	ctx := withTime(t)
	source, link := filepath.Join(root, "source"), filepath.Join(root, "link")
	if _, err := files.Mkdir(ctx, &filesystem.MkdirRequest{Path: source}); err != nil {
		t.Fatal(err)
	}
	_, err := files.CreateSymlink(ctx, &filesystem.CreateSymlinkRequest{SourcePath: source, TargetPath: link})
	if runtime.GOOS == "windows" {
		// Wine says that it has made the link, and has not.
		if code(t, err) == 0 {
			t.Error("a link that nobody made")
		}
		expectThere(t, ctx, files, link, false)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if leads, err := os.Readlink(link); err != nil || leads != source {
		t.Errorf("%s, %v", leads, err)
	}
	answer, err := files.IsSymlink(ctx, &filesystem.IsSymlinkRequest{Path: link})
	if err != nil || !answer.IsSymlink {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestPathsThatAreNoneOrLieElsewhereAreRefused(t *testing.T) {
	files, root := openFiles(t)
	ctx := withTime(t)
	for path, wanted := range map[string]int{
		"":                        3,
		"relative":                3,
		root + "\x00":             3,
		filepath.Dir(root) + "-x": 7,
		filepath.Join(root, "a") + string(filepath.Separator) + "..": 3,
	} {
		_, err := files.Mkdir(ctx, &filesystem.MkdirRequest{Path: path})
		expectCode(t, wanted, err)
		_, err = files.PathValid(ctx, &filesystem.PathValidRequest{Path: path})
		expectCode(t, wanted, err)
	}
	_, err := files.IsSymlink(ctx, &filesystem.IsSymlinkRequest{Path: filepath.Join(root, "none")})
	expectCode(t, 5, err)
	_, err = files.Rmdir(ctx, &filesystem.RmdirRequest{Path: filepath.Join(root, "none")})
	expectCode(t, 5, err)
}
