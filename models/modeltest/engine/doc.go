// Package engine starts a real inference engine, llama.cpp, with a toy model,
// so that tests meet the protocol, the grammar and the streaming of one. The
// model speaks gibberish: nothing may be judged by what it says.
//
// The engine comes from npm and is not part of the product. To have it:
//
//	mkdir -p ~/.cache/subconscious-engine
//	cp models/modeltest/engine/package.json ~/.cache/subconscious-engine/
//	npm install --prefix ~/.cache/subconscious-engine --ignore-scripts --omit=optional --no-package-lock
//	export SUBCONSCIOUS_ENGINE=~/.cache/subconscious-engine
//
// Without it the tests that want it are skipped. It stores nothing; tests of
// models/roster call it.
package engine
