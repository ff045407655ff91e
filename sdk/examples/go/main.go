// Command path_exists asks an agent in this very process whether a path exists.
//
//	path_exists CONFIG.toml PATH
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"example.com/longshore"
	"example.com/longshore/pkg/filesystem"
)

func run(file, path string) error {
	agent, err := longshore.Open(longshore.Options{File: file})
	if err != nil {
		return err
	}
	defer agent.Close()
	files, err := filesystem.New(agent)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	response, err := files.PathExists(ctx, &filesystem.PathExistsRequest{Path: path})
	if err != nil {
		return err
	}
	if response.Exists {
		fmt.Println(path, "exists")
	} else {
		fmt.Println(path, "does not exist")
	}
	return nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: path_exists CONFIG.toml PATH")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
