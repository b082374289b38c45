// member-swim: one member of hashicorp's memberlist, to be measured beside ours by the same driver and clock (../log.h).
//
//	member-swim RANK RANKS ETA_NS PORT pure|ppg
//
// pure: SWIM as published: datagrams alone, news only on top of probes and their answers.
// ppg:  with push-pull, gossip and the fallback to TCP, in the proportions to the probe interval that the library's
//
//	configuration for local networks has.
//
// Both leave encryption and compression off: it costs them processor time and ours would win by it.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/hashicorp/memberlist"
)

// As in ../log.h.
const (
	logFd      = 3
	readyFd    = 4
	headSize   = 4096
	partSize   = 16384
	partHead   = 128
	recordSize = 16
	records    = (partSize - partHead) / recordSize
)

const host = "127.0.0.1"

func now() int64 {
	var t syscall.Timespec
	const monotonic = 1
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

func giveUp(what string, err error) {
	fmt.Fprintf(os.Stderr, "member-swim: %s: %v\n", what, err)
	os.Exit(1)
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		giveUp("usage: member-swim RANK RANKS ETA_NS PORT pure|ppg", err)
	}
	return n
}

// The own part of the shared log; it is told of members that come and go.
type log struct {
	sync.Mutex
	part []byte
}

func openLog(rank, ranks int) *log {
	all, err := syscall.Mmap(logFd, 0, headSize+ranks*partSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		giveUp("cannot map the log at descriptor 3", err)
	}
	return &log{part: all[headSize+rank*partSize:][:partSize]}
}

func (l *log) NotifyLeave(node *memberlist.Node) {
	when := now()
	l.Lock()
	defer l.Unlock()
	count := (*uint32)(unsafe.Pointer(&l.part[0]))
	if at := int(*count); at < records {
		record := l.part[partHead+at*recordSize:]
		*(*int64)(unsafe.Pointer(&record[0])) = when
		*(*uint32)(unsafe.Pointer(&record[8])) = uint32(number(node.Name))
	}
	atomic.AddUint32(count, 1)
}

func (l *log) NotifyJoin(*memberlist.Node)   {}
func (l *log) NotifyUpdate(*memberlist.Node) {}

func ready() {
	one := uint64(1)
	if _, err := syscall.Write(readyFd, (*[8]byte)(unsafe.Pointer(&one))[:]); err != nil {
		giveUp("nobody waits for the word that a step is done", err)
	}
}

func settings(rank int, port int, eta time.Duration, kind string) *memberlist.Config {
	config := memberlist.DefaultLANConfig()
	config.Name = strconv.Itoa(rank)
	config.BindAddr, config.AdvertiseAddr = host, host
	config.BindPort, config.AdvertisePort = port, port
	config.ProbeInterval = eta
	config.ProbeTimeout = eta / 2
	config.EnableCompression = false
	config.LogOutput = io.Discard
	if kind == "pure" {
		config.GossipInterval = 0
		config.PushPullInterval = 0
		config.DisableTcpPings = true
	} else {
		config.GossipInterval = eta / 5
		config.PushPullInterval = 30 * eta
	}
	return config
}

// Whoever has joined rank 0 twice, with everybody's first time in between, knows all.
func main() {
	if len(os.Args) != 6 {
		giveUp("wants five arguments", fmt.Errorf("RANK RANKS ETA_NS PORT pure|ppg"))
	}
	rank, ranks, port := int(number(os.Args[1])), int(number(os.Args[2])), int(number(os.Args[4]))
	config := settings(rank, port+rank, time.Duration(number(os.Args[3])), os.Args[5])
	config.Events = openLog(rank, ranks)
	step := make(chan os.Signal, 4)
	signal.Notify(step, syscall.SIGUSR1)
	list, err := memberlist.Create(config)
	if err != nil {
		giveUp("cannot start", err)
	}
	ready()
	for range step {
		if rank != 0 {
			if _, err := list.Join([]string{fmt.Sprintf("%s:%d", host, port)}); err != nil {
				giveUp("cannot join rank 0", err)
			}
		}
		ready()
	}
}
