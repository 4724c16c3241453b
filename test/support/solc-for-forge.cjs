#!/usr/bin/env node
// Wraps the npm compiler in the command line that forge expects: --version, and --standard-json on stdin.
const { readFileSync } = require('node:fs')
const solc = require('solc')

if (process.argv.includes('--version')) {
  // forge rejects a version whose platform it does not know.
  const version = solc.version().replace('Emscripten.clang', 'Linux.g++')
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version}`)
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}
