package linchpin

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io/ioutil"
	"regexp"
	"testing"
)

// What is described without an answer is shown without one, and not as one that answers nil.
func TestOperationsWithoutAnAnswerAreShownAsTheyAre(t *testing.T) {
	model := Model{
		Init: func() interface{} { return 0 },
		Step: func(state, input, output interface{}) (bool, interface{}) {
			if written := input.(int); written > 0 {
				return true, written
			}
			return output == state, state
		},
		DescribeOperation: func(input, output interface{}) string {
			if written := input.(int); written > 0 {
				return fmt.Sprintf("w%d", written)
			}
			return fmt.Sprintf("r() -> %v", output)
		},
	}
	_, info := CheckOperationsVerbose(model, []Operation{
		{ClientId: 0, Input: 7, Call: 0, Return: 5},
		{ClientId: 1, Input: 0, Output: 3, Call: 6, Return: 9},
	}, 0)
	page, err := makePage(&model, &info)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte(`"functions":["w7","r"]`)) || !bytes.Contains(page, []byte(`"verdict":"violation"`)) {
		t.Error("the page lacks the write or the verdict")
	}
	packed := regexp.MustCompile(`"result":"(eJ[^"]+)"`).FindSubmatch(page) // the column of results
	if packed == nil {
		t.Fatal("the page lacks the results")
	}
	reader, err := zlib.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(packed[1])))
	if err != nil {
		t.Fatal(err)
	}
	results, err := ioutil.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(results, []byte("nil")) || !bytes.Contains(results, []byte("3")) {
		t.Errorf("expected one result, 3, found %q", results)
	}
}
