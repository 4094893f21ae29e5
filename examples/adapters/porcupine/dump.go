// Writing the operations of a Porcupine test where linchpin can read them.
//
// Copy this file into the package of your test. Record with Input and Output as below (or translate
// your own types into them in one loop), call Dump when the run is over, and check the file:
//
//	linchpin check --spec queue operations.json
package dump

import (
	"encoding/json"
	"math"
	"os"

	"github.com/anishathalye/porcupine"
)

// Input is what a client asked for: an operation of the specification and its argument, as
// `linchpin specs` lists them. Key is for maps, or where each key is an object of its own; Object
// names the object where one history holds several.
type Input struct {
	F      string      `json:"f"`
	Value  interface{} `json:"value,omitempty"`
	Key    interface{} `json:"key,omitempty"`
	Object string      `json:"object,omitempty"`
}

// Output is what the client saw. Value nil is an answer too: of dequeue it says that the queue was
// empty. With Error the operation may have happened, at any time after the call; with Fail it did
// not.
type Output struct {
	Value interface{} `json:"value,omitempty"`
	Error string      `json:"error,omitempty"`
	Fail  bool        `json:"fail,omitempty"`
}

// Never is the Return of an operation that had not returned when the test ended.
const Never int64 = math.MaxInt64

// Dump writes the operations to path, one a line.
func Dump(path string, operations []porcupine.Operation) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(file)
	for _, operation := range operations {
		if err := encoder.Encode(operation); err != nil {
			file.Close()
			return err
		}
	}
	return file.Close()
}
