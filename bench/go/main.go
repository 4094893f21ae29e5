// The package for Go beside Porcupine, in one process and on the same models; and beside the
// program, on one file. bench/go/run builds and runs it.
package main

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/anishathalye/porcupine"
	"linchpin"
)

// ---- models, for both ----

// call is what a client asked: Key and the rest of the line for key-value stores.
type call struct {
	f, key, a, b string
}

const nothing = "nil"

// A register with compare-and-swap, as Jepsen's logs of etcd have it.
func stepRegister(state, input, output interface{}) (bool, interface{}) {
	in, out := input.(call), output.(string)
	switch in.f {
	case "read":
		return out == "?" || out == state.(string), state
	case "write":
		return true, in.a
	}
	swapped := in.a == state.(string)
	if swapped {
		state = in.b
	}
	return out == "?" || (out == "ok") == swapped, state
}

// One key of a store.
func stepKey(state, input, output interface{}) (bool, interface{}) {
	in := input.(call)
	switch in.f {
	case "get":
		return output == state, state
	case "put":
		return true, in.a
	}
	return true, state.(string) + in.a
}

func hashText(state interface{}) uint64 {
	hash := fnv.New64a()
	hash.Write([]byte(state.(string)))
	return hash.Sum64()
}

// event is one of a history, before it is one of either package.
type event struct {
	returns bool
	id      int
	client  int
	value   interface{}
}

func split(events []event) [][]int {
	keys, parts := map[string]int{}, [][]int{}
	of := map[int]int{}
	for i, e := range events {
		if !e.returns {
			key := e.value.(call).key
			if _, found := keys[key]; !found {
				keys[key] = len(parts)
				parts = append(parts, nil)
			}
			of[e.id] = keys[key]
		}
		parts[of[e.id]] = append(parts[of[e.id]], i)
	}
	return parts
}

type subject struct {
	events []event
	init   string
	step   func(state, input, output interface{}) (bool, interface{})
}

func (s *subject) byPorcupine() func() bool {
	list := make([]porcupine.Event, len(s.events))
	for i, e := range s.events {
		list[i] = porcupine.Event{ClientId: e.client, Kind: porcupine.EventKind(e.returns), Value: e.value, Id: e.id}
	}
	model := porcupine.Model{Init: func() interface{} { return s.init }, Step: s.step, Hash: hashText,
		PartitionEvent: func(history []porcupine.Event) (parts [][]porcupine.Event) {
			for _, places := range split(s.events) {
				part := make([]porcupine.Event, len(places))
				for i, place := range places {
					part[i] = history[place]
				}
				parts = append(parts, part)
			}
			return parts
		}}
	return func() bool { return porcupine.CheckEvents(model, list) }
}

func (s *subject) byLinchpin() func() bool {
	list := make([]linchpin.Event, len(s.events))
	for i, e := range s.events {
		list[i] = linchpin.Event{ClientId: e.client, Kind: linchpin.EventKind(e.returns), Value: e.value, Id: e.id}
	}
	model := linchpin.Model{Init: func() interface{} { return s.init }, Step: s.step, Hash: hashText,
		PartitionEvent: func(history []linchpin.Event) (parts [][]linchpin.Event) {
			for _, places := range split(s.events) {
				part := make([]linchpin.Event, len(places))
				for i, place := range places {
					part[i] = history[place]
				}
				parts = append(parts, part)
			}
			return parts
		}}
	return func() bool { return linchpin.CheckEvents(model, list) }
}

// ---- Porcupine's logs ----

var jepsenLine = regexp.MustCompile(`jepsen\.util\s+-\s+(\d+)\s+:(\w+)\s+:(\w+)\s+(.*)$`)
var keyLine = regexp.MustCompile(`:process (\d+), :type :(\w+), :f :(\w+), :key "([^"]*)", :value (?:nil|"([^"]*)")`)

var nativeLine = regexp.MustCompile(`"process": (\d+), "type": "(\w+)", "f": "(\w+)", "value": (.*)}$`)

func readLines(path string) []string {
	file, err := os.Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	defer file.Close()
	var lines []string
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines
}

// history gathers events; what has not returned at the end answered unknown.
type history struct {
	events []event
	open   map[string]int
	count  int
}

func (h *history) call(client string, in call) {
	h.open[client] = h.count
	h.events = append(h.events, event{id: h.count, value: in})
	h.count++
}

func (h *history) answer(client string, out interface{}) {
	if id, found := h.open[client]; found {
		h.events = append(h.events, event{returns: true, id: id, value: out})
		delete(h.open, client)
	}
}

func (h *history) close() []event {
	for client := range h.open {
		h.answer(client, "?")
	}
	return h.events
}

// pend has an operation return at the end, for Porcupine knows no other way; its client may call again.
func (h *history) pend(client string) {
	if id, found := h.open[client]; found {
		h.open[fmt.Sprintf("%s, %d", client, len(h.events))] = id
		delete(h.open, client)
	}
}

// readRegister reads events of a register with compare-and-swap, one that a line has in the groups client, kind, operation
// and value.
func readRegister(path string, line *regexp.Regexp, initial string) *subject {
	h := history{open: map[string]int{}}
	for _, text := range readLines(path) {
		match := line.FindStringSubmatch(text)
		if match == nil {
			continue
		}
		client, kind, f, value := match[1], match[2], match[3], match[4]
		switch {
		case kind == "invoke":
			in := call{f: f, a: value}
			if f == "cas" {
				pair := strings.Fields(strings.ReplaceAll(strings.Trim(value, "[]"), ",", " "))
				in.a, in.b = pair[0], pair[1]
			}
			h.call(client, in)
		case kind == "info":
			h.pend(client)
		case value == ":timed-out":
			h.answer(client, "?")
		case f == "cas":
			h.answer(client, kind)
		default:
			h.answer(client, value)
		}
	}
	return &subject{h.close(), initial, stepRegister}
}

func readKeys(path string) *subject {
	h := history{open: map[string]int{}}
	for _, line := range readLines(path) {
		match := keyLine.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		if match[2] == "invoke" {
			h.call(match[1], call{f: match[3], key: match[4], a: match[5]})
		} else {
			h.answer(match[1], match[5])
		}
	}
	return &subject{h.close(), "", stepKey}
}

// ---- measuring ----

func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// enough says when there are enough runs: short ones are many.
func enough(runs int, began time.Time) bool {
	return runs >= 201 || runs >= 5 && time.Since(began) > 4*time.Second
}

func median(list []time.Duration) time.Duration {
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return list[len(list)/2]
}

// compare has both decide, by turns. Their medians count: which part of a history Porcupine finds illegal first
// is chance. What takes less than a hundredth of a second is repeated, for a collection of garbage and a
// switch of threads take as long.
func compare(name string, subjects []*subject) {
	var verdicts [2][]bool
	var checks [2][]func() bool
	var used, clocks [2][]time.Duration
	for _, s := range subjects {
		checks[0] = append(checks[0], s.byPorcupine())
		checks[1] = append(checks[1], s.byLinchpin())
	}
	repeat, tried := 0, time.Now()
	for ; repeat == 0 || time.Since(tried) < 10*time.Millisecond; repeat++ {
		for _, check := range checks[1] {
			check()
		}
	}
	for began := time.Now(); !enough(len(used[1]), began); {
		for side := range checks {
			runtime.GC()
			before, start := cpu(), time.Now()
			for k := 0; k < repeat; k++ {
				verdicts[side] = verdicts[side][:0]
				for _, check := range checks[side] {
					verdicts[side] = append(verdicts[side], check())
				}
			}
			clocks[side] = append(clocks[side], time.Since(start)/time.Duration(repeat))
			used[side] = append(used[side], (cpu()-before)/time.Duration(repeat))
		}
	}
	for i := range verdicts[0] {
		if verdicts[0][i] != verdicts[1][i] {
			fmt.Printf("%s: the verdicts on history %d differ\n", name, i)
			os.Exit(1)
		}
	}
	one, two := median(used[0]), median(used[1])
	fmt.Printf("| %s | %.5f | %.5f | %.5f | %.5f | %.1f |\n", name, one.Seconds(), two.Seconds(),
		median(clocks[0]).Seconds(), median(clocks[1]).Seconds(), one.Seconds()/two.Seconds())
}

const longest = 20 * time.Second

// within runs what has so long, and says how long it took, with the answer.
func within(check func() string) string {
	before := cpu()
	answer := check()
	return fmt.Sprintf("%s, %.3f", answer, (cpu() - before).Seconds())
}

// comparePending has a history with pending operations decided by Porcupine, and by linchpin with the same model in Go and
// with its own specification, reading included: the verdict and seconds of processor time.
func comparePending(name, path string) {
	s := readRegister(path, nativeLine, "null")
	list := make([]porcupine.Event, len(s.events))
	other := make([]linchpin.Event, len(s.events))
	for i, e := range s.events {
		list[i] = porcupine.Event{ClientId: e.client, Kind: porcupine.EventKind(e.returns), Value: e.value, Id: e.id}
		other[i] = linchpin.Event{ClientId: e.client, Kind: linchpin.EventKind(e.returns), Value: e.value, Id: e.id}
	}
	init := func() interface{} { return s.init }
	rival := within(func() string {
		return string(porcupine.CheckEventsTimeout(porcupine.Model{Init: init, Step: s.step, Hash: hashText}, list, longest))
	})
	model := within(func() string {
		return string(linchpin.CheckEventsTimeout(linchpin.Model{Init: init, Step: s.step, Hash: hashText}, other, longest))
	})
	file := within(func() string {
		histories, err := linchpin.ReadHistories(path)
		if err != nil {
			return err.Error()
		}
		report, err := histories[0].Check(linchpin.Model{}, linchpin.CheckOptions{Timeout: longest})
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(report.Verdict)
	})
	fmt.Printf("| %s | %s | %s | %s |\n", name, rival, model, file)
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "pending" {
		comparePending(os.Args[2], os.Args[3])
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "file" {
		histories, err := linchpin.ReadHistories(os.Args[2])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		report, err := histories[0].Check(linchpin.Model{}, linchpin.CheckOptions{})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		fmt.Println(report.Verdict)
		return
	}
	data := filepath.Join(os.Args[1], "test_data")
	fmt.Println("| histories | Porcupine, cpu | linchpin, cpu | Porcupine, clock | linchpin, clock | cpu, times |")
	fmt.Println("|---|---:|---:|---:|---:|---:|")
	logs, _ := filepath.Glob(filepath.Join(data, "jepsen", "*.log"))
	var etcd []*subject
	for _, path := range logs {
		etcd = append(etcd, readRegister(path, jepsenLine, nothing))
	}
	compare(fmt.Sprintf("etcd, all %d", len(logs)), etcd)
	for _, name := range []string{"c01-ok", "c01-bad", "c10-ok", "c10-bad", "c50-ok", "c50-bad"} {
		compare(name, []*subject{readKeys(filepath.Join(data, "kv", name+".txt"))})
	}
}
