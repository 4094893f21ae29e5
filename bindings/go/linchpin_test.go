package linchpin

import (
	"bytes"
	"context"
	"fmt"
	"io/ioutil"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// ---- the oracle: every order, as Herlihy and Wing define it ----

func permits(model *Model, operations []Operation, done []bool, state interface{}) bool {
	left := false
	for i, operation := range operations {
		if done[i] {
			continue
		}
		left = true
		first := true
		for k, other := range operations {
			first = first && (done[k] || other.Return >= operation.Call)
		}
		if !first {
			continue
		}
		if possible, next := model.Step(state, operation.Input, operation.Output); possible {
			done[i] = true
			if permits(model, operations, done, next) {
				return true
			}
			done[i] = false
		}
	}
	return !left
}

func byDefinition(model *Model, operations []Operation) bool {
	parts := [][]Operation{operations}
	if model.Partition != nil {
		parts = model.Partition(operations)
	}
	for _, part := range parts {
		if !permits(model, part, make([]bool, len(part)), model.Init()) {
			return false
		}
	}
	return true
}

// ---- models ----

// A queue of numbers: Input above 0 adds it, 0 removes one, Output -1 found nothing. The state is a
// slice, which == cannot compare.
var queueModel = Model{
	Init: func() interface{} { return []int{} },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		queue := state.([]int)
		if input.(int) > 0 {
			return true, append(append([]int{}, queue...), input.(int))
		}
		if len(queue) == 0 {
			return output.(int) == -1, state
		}
		return output.(int) == queue[0], queue[1:]
	},
	Equal: func(one, two interface{}) bool {
		a, b := one.([]int), two.([]int)
		for i := 0; i < len(a) && len(a) == len(b); i++ {
			if a[i] != b[i] {
				return false
			}
		}
		return len(a) == len(b)
	},
	DescribeOperation: func(input, output interface{}) string {
		if input.(int) > 0 {
			return fmt.Sprintf("add(%d)", input)
		}
		return fmt.Sprintf("take() -> %d", output)
	},
}

func hashOfQueue(state interface{}) uint64 { return uint64(len(state.([]int))) } // poor on purpose

// keyedInput is for several queues, apart by Partition.
type keyedInput struct {
	key   string
	value int
}

func keyed(model Model) Model {
	inner := model
	model.Step = func(state, input, output interface{}) (bool, interface{}) {
		return inner.Step(state, input.(keyedInput).value, output)
	}
	model.DescribeOperation = func(input, output interface{}) string {
		return inner.DescribeOperation(input.(keyedInput).value, output)
	}
	model.Partition = func(history []Operation) [][]Operation {
		parts := map[string][]Operation{}
		for _, operation := range history {
			key := operation.Input.(keyedInput).key
			parts[key] = append(parts[key], operation)
		}
		return [][]Operation{parts["a"], parts["b"]}
	}
	model.PartitionEvent = func(history []Event) [][]Event {
		parts, keys := map[string][]Event{}, map[int]string{}
		for _, event := range history {
			if event.Kind == CallEvent {
				keys[event.Id] = event.Value.(keyedInput).key
			}
			parts[keys[event.Id]] = append(parts[keys[event.Id]], event)
		}
		return [][]Event{parts["a"], parts["b"]}
	}
	return model
}

func variants() map[string]Model {
	hashed := queueModel
	hashed.Hash = hashOfQueue
	values := queueModel // states that == compares
	values.Init = func() interface{} { return "" }
	values.Step = func(state, input, output interface{}) (bool, interface{}) {
		queue := state.(string)
		if input.(int) > 0 {
			return true, queue + string(rune('0'+input.(int)))
		}
		if queue == "" {
			return output.(int) == -1, state
		}
		return output.(int) == int(queue[0]-'0'), queue[1:]
	}
	values.Equal = nil
	nondeterministic := NondeterministicModel{
		Init: func() []interface{} { return []interface{}{"", ""} },
		Step: func(state, input, output interface{}) []interface{} {
			possible, next := values.Step(state, input, output)
			if !possible {
				return nil
			}
			return []interface{}{next, next}
		},
		DescribeOperation: queueModel.DescribeOperation,
	}
	return map[string]Model{"equal": queueModel, "hash": hashed, "values": values, "sets": nondeterministic.ToModel()}
}

// randomHistory is of a queue that is right most of the time; times touch now and then.
func randomHistory(random *rand.Rand, operations int) []Operation {
	var history []Operation
	var queue []int
	now := make([]int64, 3)
	for i := 0; i < operations; i++ {
		client := random.Intn(len(now))
		call := now[client] + int64(random.Intn(4))
		operation := Operation{ClientId: client, Input: 0, Output: -1, Call: call, Return: call + int64(random.Intn(6))}
		now[client] = operation.Return + int64(random.Intn(2))
		if random.Intn(2) == 0 {
			operation.Input, operation.Output = 1+random.Intn(3), nil
			queue = append(queue, operation.Input.(int))
		} else if len(queue) > 0 {
			operation.Output = queue[0]
			queue = queue[1:]
		}
		history = append(history, operation)
	}
	return history
}

// eventsOf gives the same history as events; ties as closed intervals have them.
func eventsOf(operations []Operation) []Event {
	p := part{operations: operations}
	var events []Event
	for _, e := range p.entries() {
		events = append(events, Event{ClientId: e.clientId, Kind: e.kind, Value: e.value, Id: 100 - e.id})
	}
	return events
}

func TestVerdictsAreThoseOfTheDefinition(t *testing.T) {
	counts := map[bool]int{}
	for seed := int64(0); seed < 400; seed++ {
		random := rand.New(rand.NewSource(seed))
		history := randomHistory(random, 1+random.Intn(9))
		for name, model := range variants() {
			model := model
			expected := byDefinition(&model, history)
			counts[expected]++
			if found := CheckOperations(model, history); found != expected {
				t.Fatalf("seed %d, %s: expected %v, found %v: %+v", seed, name, expected, found, history)
			}
			if found := CheckEvents(model, eventsOf(history)); found != expected {
				t.Fatalf("seed %d, %s: of events expected %v, found %v", seed, name, expected, found)
			}
			checkOrders(t, &model, history, expected)
		}
	}
	if counts[true] < 100 || counts[false] < 100 {
		t.Fatalf("expected some of both verdicts, found %v", counts)
	}
}

// A register of numbers with compare-and-swap: Input {f, a, b}, Output what was read, or 1 if it
// swapped; -1 is not known.
var registerModel = Model{
	Init: func() interface{} { return 0 },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		in, out := input.([3]int), output.(int)
		switch in[0] {
		case 0:
			return out == -1 || out == state, state
		case 1:
			return true, in[1]
		}
		if state == in[1] {
			return out != 0, in[2]
		}
		return out != 1, state
	},
}

// Operations that write what is there are no reads.
func TestRegistersAreDecidedByTheDefinition(t *testing.T) {
	compared := registerModel
	compared.Equal = func(one, two interface{}) bool { return one == two }
	counts := map[bool]int{}
	for seed := int64(0); seed < 3000; seed++ {
		random := rand.New(rand.NewSource(seed))
		now := make([]int64, 2+random.Intn(3))
		var history []Operation
		for i := 1 + random.Intn(8); i > 0; i-- {
			client := random.Intn(len(now))
			call := now[client] + int64(random.Intn(3))
			operation := Operation{ClientId: client, Input: [3]int{random.Intn(3), random.Intn(3), random.Intn(3)},
				Output: random.Intn(4) - 1, Call: call, Return: call + int64(random.Intn(12))}
			if operation.Input.([3]int)[0] == 2 {
				operation.Output = random.Intn(3) - 1
			}
			if random.Intn(6) == 0 {
				operation.Return = call + 50
			}
			now[client] = operation.Return + 1
			history = append(history, operation)
		}
		expected := byDefinition(&registerModel, history)
		counts[expected]++
		for _, model := range []Model{registerModel, compared} {
			if found := CheckOperations(model, history); found != expected {
				t.Fatalf("seed %d: expected %v, found %v: %+v", seed, expected, found, history)
			}
			checkOrders(t, &model, history, expected)
		}
		task := task{model: registerModel, operations: history}
		task.parts, task.results = partsOfOperations(&task.model, history), make([]CheckResult, 1)
		task.decidePart(0) // the library alone
		if (task.results[0] == Ok) != expected {
			t.Fatalf("seed %d: expected %v, found %v: %+v", seed, expected, task.results[0], history)
		}
	}
	if counts[true] < 500 || counts[false] < 500 {
		t.Fatalf("expected some of both verdicts, found %v", counts)
	}
}

// A write of what is there looks like a read. Here it would change another state: the one behind the first cas, which
// is called early enough. The search has the second one there, which does the same, returns first, and is
// called too late.
func TestWhatDoesTheSameIsNotTakenForTheOnlyWrite(t *testing.T) {
	history := []Operation{
		{Input: [3]int{0, 0, 0}, Output: 0, Call: 1, Return: 995},
		{Input: [3]int{2, 0, 1}, Output: 1, Call: 0, Return: 1000},
		{Input: [3]int{2, 2, 1}, Output: 0, Call: 2, Return: 4},
		{Input: [3]int{2, 1, 1}, Output: 1, Call: 2, Return: 6},
		{Input: [3]int{1, 0, 0}, Output: -1, Call: 3, Return: 4},
		{Input: [3]int{2, 0, 1}, Output: 1, Call: 6, Return: 8},
		{Input: [3]int{2, 2, 0}, Output: -1, Call: 11, Return: 998},
	}
	if !byDefinition(&registerModel, history) || !CheckOperations(registerModel, history) {
		t.Fatal("expected an order: read, cas from 0 to 1, cas from 1 to 1, cas that fails, write, cas from 0 to 1, cas")
	}
}

// stored is what a client of a store asks: f, and the text that it puts or appends.
type stored struct{ f, text string }

// answered is what it sees.
type answered struct{ text string }

// storeModel has a text that grows. Shown is what get answers of it.
func storeModel(shown func(text string) string) Model {
	return Model{
		Init: func() interface{} { return "" },
		Step: func(state, input, output interface{}) (bool, interface{}) {
			in, text := input.(stored), state.(string)
			switch in.f {
			case "get":
				return output == answered{shown(text)}, state
			case "put":
				return true, in.text
			}
			return true, text + in.text
		},
	}
}

func reversed(text string) string {
	letters := []rune(text)
	for i, k := 0, len(letters)-1; i < k; i, k = i+1, k-1 {
		letters[i], letters[k] = letters[k], letters[i]
	}
	return string(letters)
}

// randomStore is right at first; some answers are those of another get.
func randomStore(random *rand.Rand, shown func(string) string) []Operation {
	now := make([]int64, 2+random.Intn(3))
	var history []Operation
	text := ""
	for i := 1 + random.Intn(9); i > 0; i-- {
		client := random.Intn(len(now))
		call := now[client] + int64(random.Intn(3))
		in, out := stored{f: "get"}, answered{}
		if random.Intn(5) > 1 {
			in = stored{[]string{"put", "append", "append"}[random.Intn(3)], string(rune('a' + random.Intn(3)))}
			if in.f == "put" {
				text = ""
			}
			text += in.text
		} else {
			out.text = shown(text)
		}
		operation := Operation{ClientId: client, Input: in, Output: out, Call: call, Return: call + int64(random.Intn(12))}
		now[client] = operation.Return + 1
		history = append(history, operation)
	}
	if random.Intn(2) == 0 {
		for i, k := range random.Perm(len(history)) {
			if history[i].Input == history[k].Input {
				history[i].Output, history[k].Output = history[k].Output, history[i].Output
			}
		}
	}
	return history
}

// What the search guesses of texts, and of reads, is right for one of these stores and mostly wrong for the others.
func TestGuessesDoNotChangeVerdicts(t *testing.T) {
	ways := map[string]func(string) string{
		"the text":   func(text string) string { return text },
		"reversed":   reversed,
		"its end":    func(text string) string { return text[len(text)-len(text)%3:] },
		"its length": func(text string) string { return fmt.Sprint(len(text)) },
	}
	verdicts, restarts, unhinted := map[bool]int{}, 0, 0
	for name, shown := range ways {
		model := storeModel(shown)
		for seed := int64(0); seed < 3000; seed++ {
			history := randomStore(rand.New(rand.NewSource(seed)), shown)
			expected := byDefinition(&model, history)
			verdicts[expected]++
			if found := CheckOperations(model, history); found != expected {
				t.Fatalf("%s, seed %d: expected %v, found %v: %+v", name, seed, expected, found, history)
			}
			l := newLook(newEngine(&model, nil, newClasses(0), &failure{}), history, func() bool { return false })
			l.hintsFrom = 0
			result, rounds := lookUndecided, 0
			for ; result == lookUndecided; rounds++ {
				result = l.more(5) // so that it stops anywhere
			}
			if (result == Ok) != expected {
				t.Fatalf("%s, seed %d: in %d rounds expected %v, found %v: %+v", name, seed, rounds, expected, result, history)
			}
			restarts += l.restarts
			if l.hints == nil {
				unhinted++
			}
		}
	}
	if verdicts[true] < 500 || verdicts[false] < 500 || restarts < 10 || unhinted < 100 {
		t.Fatalf("expected some of everything, found %v, %d restarts, %d without hints", verdicts, restarts, unhinted)
	}
}

func TestPartsAreDecidedOnTheirOwn(t *testing.T) {
	for seed := int64(0); seed < 200; seed++ {
		random := rand.New(rand.NewSource(seed))
		one, two := randomHistory(random, 5), randomHistory(random, 5)
		var history []Operation
		for i, list := range [][]Operation{one, two} {
			for _, operation := range list {
				operation.Input = keyedInput{string(rune('a' + i)), operation.Input.(int)}
				operation.ClientId += 3 * i
				history = append(history, operation)
			}
		}
		random.Shuffle(len(history), func(i, j int) { history[i], history[j] = history[j], history[i] })
		model := keyed(queueModel)
		expected := byDefinition(&model, history)
		if found := CheckOperations(model, history); found != expected {
			t.Fatalf("seed %d: expected %v, found %v", seed, expected, found)
		}
		if found := CheckEvents(model, eventsOf(history)); found != expected {
			t.Fatalf("seed %d: of events expected %v, found %v", seed, expected, found)
		}
		checkOrders(t, &model, history, expected)
	}
}

// checkOrders takes the steps of partial linearizations: they must be possible, in an order that
// precedence allows, and complete exactly where the part is linearizable.
func checkOrders(t *testing.T, model *Model, history []Operation, expected bool) {
	t.Helper()
	result, info := CheckOperationsVerbose(*model, history, 0)
	if (result == Ok) != expected {
		t.Fatalf("expected %v, found %v", expected, result)
	}
	complete := true
	for i, orders := range info.PartialLinearizationsOperations() {
		longest := 0
		for k, order := range orders {
			state := model.Init()
			for n, operation := range order {
				possible, next := model.Step(state, operation.Input, operation.Output)
				if !possible {
					t.Fatalf("%+v: step %d of %+v is not possible", history, n, order)
				}
				state = next
				for _, later := range order[n+1:] {
					if later.Return < operation.Call {
						t.Fatalf("%+v comes before %+v", operation, later)
					}
				}
			}
			if len(info.PartialLinearizations()[i][k]) != len(order) {
				t.Fatal("the two lists of orders differ")
			}
			if len(order) > longest {
				longest = len(order)
			}
		}
		complete = complete && longest == len(info.parts[i].operations)
	}
	if complete != expected {
		t.Fatalf("expected complete orders exactly if it is linearizable (%v), found %v", expected, info.PartialLinearizations())
	}
}

func TestBuiltInSpecifications(t *testing.T) {
	for seed := int64(0); seed < 300; seed++ {
		random := rand.New(rand.NewSource(seed))
		history := randomHistory(random, 1+random.Intn(9))
		expected := byDefinition(&queueModel, history)
		calls := make([]Operation, len(history))
		for i, operation := range history {
			calls[i] = operation
			if operation.Input.(int) > 0 {
				calls[i].Input, calls[i].Output = Input{F: "enqueue", Value: operation.Input}, Output{}
			} else if operation.Output.(int) == -1 {
				calls[i].Input, calls[i].Output = Input{F: "dequeue"}, Output{}
			} else {
				calls[i].Input, calls[i].Output = Input{F: "dequeue"}, Output{Value: operation.Output}
			}
		}
		if found := CheckOperations(Queue(), calls); found != expected {
			t.Fatalf("seed %d: expected %v, found %v: %+v", seed, expected, found, calls)
		}
	}
}

func call(client int, f string, value, result interface{}, from, to int64) Operation {
	return Operation{ClientId: client, Input: Input{F: f, Value: value}, Output: Output{Value: result}, Call: from, Return: to}
}

func TestValuesOfManyKinds(t *testing.T) {
	type name string
	for _, value := range []interface{}{int8(3), uint64(9), "text", name("named"), 2.5, true, []int{1, 2}, [2]string{"a", "b"}, []interface{}{nil, "x", []int{}}} {
		history := []Operation{call(0, "write", value, nil, 0, 1), call(0, "read", nil, value, 2, 3)}
		if !CheckOperations(Register(), history) {
			t.Errorf("%v (%T) is not read as it was written", value, value)
		}
		history[1].Output = Output{Value: "another"}
		if CheckOperations(Register(), history) {
			t.Errorf("something else was read than %v", value)
		}
	}
	keyed := []Operation{
		{Input: Input{F: "put", Key: "x", Value: 1}, Output: Output{}, Call: 0, Return: 1},
		{Input: Input{F: "get", Key: "x"}, Output: Output{Value: 1}, Call: 2, Return: 3},
		{Input: Input{F: "get", Key: "y"}, Output: Output{}, Call: 4, Return: 5},
	}
	if !CheckOperations(Map(), keyed) {
		t.Error("a map answers what was put")
	}
	unknown := []Operation{
		{Input: Input{F: "write", Value: 1}, Output: Output{Error: "timeout"}, Call: 0, Return: Never},
		{ClientId: 1, Input: Input{F: "read"}, Output: Output{Value: 1}, Call: 5, Return: 6},
		{ClientId: 2, Input: Input{F: "write", Value: 2}, Output: Output{Fail: true}, Call: 0, Return: 3},
	}
	if !CheckOperations(Register(), unknown) {
		t.Error("a write that timed out may have happened")
	}
	unknown[1].Output = Output{Value: 2}
	if CheckOperations(Register(), unknown) {
		t.Error("a write that failed has not happened")
	}
	if CheckOperations(Specification("register", Options{Initial: "7"}), []Operation{call(0, "read", nil, 8, 0, 1)}) {
		t.Error("the initial value is 7")
	}
}

// ---- what goes wrong ----

func panicOf(f func()) (value interface{}) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestPanicsOfModelsReachTheCaller(t *testing.T) {
	for name, model := range map[string]Model{
		"step": {Init: func() interface{} { return 0 }, Step: func(s, i, o interface{}) (bool, interface{}) { panic("in the model") }},
		"init": {Init: func() interface{} { panic("in the model") }, Step: queueModel.Step},
		"equal": {Init: queueModel.Init, Step: queueModel.Step,
			Equal: func(a, b interface{}) bool { panic("in the model") }},
		"hash": {Init: queueModel.Init, Step: queueModel.Step, Equal: queueModel.Equal,
			Hash: func(a interface{}) uint64 { panic("in the model") }},
	} {
		history := []Operation{{Input: 1, Output: nil, Call: 0, Return: 1}, {Input: 0, Output: 1, Call: 2, Return: 3}}
		for i := 0; i < 3; i++ { // nothing is left locked
			if value := panicOf(func() { CheckOperations(model, history) }); value != "in the model" {
				t.Errorf("%s: expected the model's panic, found %v", name, value)
			}
		}
	}
}

func TestWrongHistoriesAreRefusedByName(t *testing.T) {
	expect := func(words string, f func()) {
		t.Helper()
		value := panicOf(f)
		if value == nil || !strings.Contains(fmt.Sprint(value), words) {
			t.Errorf("expected a panic that says %q, found %v", words, value)
		}
	}
	expect("push", func() { CheckOperations(Queue(), []Operation{call(0, "push", 1, nil, 0, 1)}) })
	expect("linchpin.Input", func() { CheckOperations(Queue(), []Operation{{Input: 3, Call: 0, Return: 1}}) })
	expect("nosuch", func() {
		CheckOperations(Specification("nosuch", Options{}), []Operation{call(0, "read", nil, 1, 0, 1)})
	})
	expect("return at or after the call", func() { CheckOperations(queueModel, []Operation{{Input: 1, Call: 3, Return: 1}}) })
	expect("zero bytes", func() { CheckOperations(Register(), []Operation{call(0, "write", "a\x00b", nil, 0, 1)}) })
	expect("struct", func() { CheckOperations(Register(), []Operation{call(0, "write", struct{}{}, nil, 0, 1)}) })
	expect("zero bytes", func() { CheckOperations(Register(), []Operation{call(0, "write\x00x", 1, nil, 0, 1)}) })
	expect("names of an operation", func() { CheckOperations(Register(), []Operation{call(0, "", 1, nil, 0, 1)}) })
	expect("zero bytes", func() {
		CheckOperations(Specification("register\x00x", Options{}), []Operation{call(0, "read", nil, nil, 0, 1)})
	})
	expect("NaN", func() { CheckOperations(Register(), []Operation{call(0, "write", math.NaN(), nil, 0, 1)}) })
	itself := []interface{}{nil}
	itself[0] = itself
	expect("within one another", func() { CheckOperations(Register(), []Operation{call(0, "write", itself, nil, 0, 1)}) })
	var nested interface{} = 1
	for i := 0; i < 200; i++ {
		nested = []interface{}{nested}
	}
	if !CheckOperations(Register(), []Operation{call(0, "write", nested, nil, 0, 1), call(1, "read", nil, nested, 2, 3)}) {
		t.Error("200 slices within one another are a value")
	}
	var pointer interface{}
	pointer = &pointer
	expect("within one another", func() { CheckOperations(Register(), []Operation{call(0, "write", pointer, nil, 0, 1)}) })
	if _, err := ReadHistories("a\x00b"); err == nil || !strings.Contains(err.Error(), "a path") {
		t.Error(err)
	}
	if _, err := Verify(context.Background(), "a\x00b", 0); err == nil || !strings.Contains(err.Error(), "a path") {
		t.Error(err)
	}
	expect("return of Id 4", func() { CheckEvents(queueModel, []Event{{Kind: CallEvent, Value: 1, Id: 4}}) })
	expect("call of Id 4", func() { CheckEvents(queueModel, []Event{{Kind: ReturnEvent, Value: 1, Id: 4}}) })
	expect("second call", func() {
		CheckEvents(queueModel, []Event{{Kind: CallEvent, Value: 1, Id: 4}, {Kind: CallEvent, Value: 1, Id: 4}})
	})
	if _, _, err := Check(context.Background(), Queue(), []Operation{call(0, "push", 1, nil, 0, 1)}); err == nil {
		t.Error("Check returns the error")
	}
}

// endless is a model of which no two states are equal, and a history that needs all orders.
func endless(operations int) (Model, []Operation) {
	model := Model{
		Init: func() interface{} { return "" },
		Step: func(state, input, output interface{}) (bool, interface{}) {
			if input == nil {
				return state == "never", state
			}
			return true, state.(string) + string(rune('A'+input.(int)))
		},
	}
	history := []Operation{{Input: nil, Call: 1000, Return: 1001}}
	for i := 0; i < operations; i++ {
		history = append(history, Operation{ClientId: i + 1, Input: i, Call: int64(i), Return: 500})
	}
	return model, history
}

func TestATimeoutIsUnknown(t *testing.T) {
	model, history := endless(25)
	if found := CheckOperationsTimeout(model, history, 50*time.Millisecond); found != Unknown {
		t.Fatalf("expected %v, found %v", Unknown, found)
	}
	result, info := CheckOperationsVerbose(model, history, 50*time.Millisecond)
	if result != Unknown || len(info.PartialLinearizations()[0]) == 0 {
		t.Fatalf("expected %v and how far it came, found %v, %v", Unknown, result, info.PartialLinearizations())
	}
	model, history = endless(3)
	if found := CheckOperationsTimeout(model, history, time.Hour); found != Illegal {
		t.Fatalf("expected %v, found %v", Illegal, found)
	}
}

func TestAContextEndsACheck(t *testing.T) {
	model, history := endless(25)
	ctx, cancel := context.WithCancel(context.Background())
	step := model.Step
	var once sync.Once
	model.Step = func(state, input, output interface{}) (bool, interface{}) {
		once.Do(cancel)
		return step(state, input, output)
	}
	result, _, err := Check(ctx, model, history)
	if result != Unknown || err != nil {
		t.Fatalf("expected %v, found %v, %v", Unknown, result, err)
	}
}

func TestManyChecksAtOnceLeaveNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	var done sync.WaitGroup
	for i := 0; i < 8; i++ {
		done.Add(1)
		go func(seed int64) {
			defer done.Done()
			random := rand.New(rand.NewSource(seed))
			for k := 0; k < 20; k++ {
				history := randomHistory(random, 8)
				if CheckOperations(queueModel, history) != byDefinition(&queueModel, history) {
					t.Error("the verdict differs")
				}
			}
		}(int64(i))
	}
	done.Wait()
	for wait := 0; runtime.NumGoroutine() > before && wait < 100; wait++ {
		time.Sleep(10 * time.Millisecond)
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("%d goroutines were left behind", now-before)
	}
}

// ---- pages, files, models ----

func TestPages(t *testing.T) {
	history := []Operation{
		{ClientId: 0, Input: 1, Output: nil, Call: 0, Return: 10},
		{ClientId: 0, Input: 2, Output: nil, Call: 11, Return: 20},
		{ClientId: 1, Input: 0, Output: 2, Call: 30, Return: 40, Metadata: "</script>"},
		{ClientId: 0, Input: 3, Output: nil, Call: 20, Return: 25}, // it touches one of the same client
	}
	for _, model := range []Model{queueModel, Queue()} {
		if model.builtin != nil {
			history[0].Input, history[0].Output = Input{F: "enqueue", Value: 1}, Output{}
			history[1].Input, history[1].Output = Input{F: "enqueue", Value: 2}, Output{}
			history[3].Input, history[3].Output = Input{F: "enqueue", Value: 3}, Output{}
			history[2].Input, history[2].Output = Input{F: "dequeue"}, Output{Value: 2}
		}
		result, info := CheckOperationsVerbose(model, history, 0)
		if result != Illegal {
			t.Fatalf("expected %v, found %v", Illegal, result)
		}
		info.AddAnnotations([]Annotation{{Tag: "leader", Start: 5, Description: "elected"}, {Tag: "net", Start: 5, End: 25, Description: "cut"}})
		path := filepath.Join(t.TempDir(), "page.html")
		if err := VisualizePath(model, info, path); err != nil {
			t.Fatal(err)
		}
		page, err := ioutil.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range []string{`class="answer"`, `"verdict":"violation"`, "elected", "start cut", "stop cut", "\\u003c/script\\u003e"} {
			if !bytes.Contains(page, []byte(words)) {
				t.Errorf("the page lacks %s", words)
			}
		}
	}
	if err := VisualizePath(queueModel, LinearizationInfo{}, "/nonexistent/page.html"); err == nil {
		t.Error("a page that cannot be written is an error")
	}
}

func TestDescriptionsAreShownAsCalls(t *testing.T) {
	for text, expected := range map[string][3]string{
		"get('x') -> 'y'": {"get", "'x'", "'y'"},
		"put('x', 'y')":   {"put", "'x', 'y'", ""},
		"read → 4":        {"read", "", ""},
		"{1 2} -> 3":      {"operation", "{1 2}", "3"},
		"add 3 to set":    {"add", "3 to set", ""},
	} {
		function, argument, result := splitDescription(text)
		if text == "read → 4" {
			expected = [3]string{"read", "→ 4", ""}
		}
		if found := [3]string{function, argument, result}; !reflect.DeepEqual(found, expected) {
			t.Errorf("%s: expected %q, found %q", text, expected, found)
		}
	}
}

func TestFiles(t *testing.T) {
	root := filepath.Join("..", "..", "examples")
	for file, expected := range map[string]CheckResult{
		"histories/queue-correct.jsonl":      Ok,
		"histories/stack-aba.jsonl":          Illegal,
		"adapters/porcupine/operations.json": Illegal,
		"histories/jepsen-stale-reads.edn":   Illegal,
		"histories/jepsen-register.edn":      Ok,
		"histories/kv-correct.txt":           Ok,
	} {
		histories, err := ReadHistories(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		report, err := histories[0].Check(Model{}, CheckOptions{Independent: strings.Contains(file, "stale-reads.edn")})
		if err != nil {
			t.Fatal(err)
		}
		if report.Verdict != expected || report.Operations != histories[0].Operations() {
			t.Errorf("%s: expected %v, found %v", file, expected, report.Verdict)
		}
		if expected == Illegal && (report.Reason == "" || len(report.Violations) == 0 || len(report.Violations[0].Core) == 0) {
			t.Errorf("%s: expected a reason and a core, found %+v", file, report)
		}
		var page bytes.Buffer
		if err := report.WriteHTML(&page); err != nil || !bytes.Contains(page.Bytes(), []byte(`class="answer"`)) {
			t.Errorf("%s: no page: %v", file, err)
		}
		histories[0].Close()
		report = nil
		runtime.GC()
	}
	if _, err := ReadHistories("nowhere.edn"); err == nil || !strings.Contains(err.Error(), "nowhere.edn") {
		t.Errorf("expected an error with the name, found %v", err)
	}
	histories, err := ReadHistories(filepath.Join(root, "histories/queue-correct.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := histories[0].Check(Stack(), CheckOptions{}); err == nil {
		t.Error("a queue's history is none of a stack")
	}
	if _, err := histories[0].Check(queueModel, CheckOptions{}); err == nil {
		t.Error("a model in Go is refused")
	}
}

func TestModels(t *testing.T) {
	found, err := Verify(context.Background(), filepath.Join("..", "..", "examples", "models", "register.lin"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("the model has assertions")
	}
	for _, one := range found {
		if one.Answer == Undecided || one.Line == 0 || one.States == 0 {
			t.Errorf("%+v", one)
		}
		if one.Answer == Violated && len(one.Execution) == 0 {
			t.Errorf("%s: a violation has an execution", one.Assertion)
		}
	}
	path := filepath.Join(t.TempDir(), "wrong.lin")
	if err := os.WriteFile(path, []byte("spec {"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(context.Background(), path, 0); err == nil || !strings.Contains(err.Error(), "wrong.lin:1") {
		t.Errorf("expected an error with its place, found %v", err)
	}
}
