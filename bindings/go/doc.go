// Package linchpin decides whether histories of concurrent operations are linearizable.
//
// It has the names and types of Porcupine (github.com/anishathalye/porcupine), so that a test that
// is written for Porcupine changes its import and nothing else:
//
//	import porcupine "linchpin"
//
// Models are written in Go, as there; or they are linchpin's own ([Queue], [Register], [Map], ...,
// [Specification] for one in a file), which are decided at the speed of the library: their
// operations have an [Input] and an [Output]. Besides: [ReadHistories] reads what other tools
// recorded, [Verify] decides what models in .lin and CSP# assert, and [Visualize] writes linchpin's
// page for a browser.
//
// The package calls the C library through cgo; pkg-config says where it is.
package linchpin
