/** A resumed run must not reuse passes of other vectors or code. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunOptions } from './options.ts'
import type { PassOrigin } from './passed-file.ts'

const ROOT = join(import.meta.dirname, '../..')
const CODE_FOLDERS = ['packages', 'test/conformance', 'test/support']
const CODE_FILE = /\.(ts|cjs|json)$/
const DIGEST_CHARACTERS = 16

export function originOf({ vectors, groups, grep, sample, evm, secondOpinion }: RunOptions, paths: readonly string[]): PassOrigin {
  const code = ['package-lock.json', ...CODE_FOLDERS.flatMap((folder) => [...codeFiles(folder)])]
  return {
    vectors: digest(vectors, paths),
    code: digest(ROOT, code),
    selection: JSON.stringify({ groups: groups === null ? null : [...groups].sort(), grep, sample, evm, secondOpinion }),
  }
}

function* codeFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== 'dist') yield* codeFiles(path)
    else if (entry.isFile() && CODE_FILE.test(entry.name)) yield path
  }
}

function digest(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) {
    const bytes = readFileSync(join(root, path))
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex').slice(0, DIGEST_CHARACTERS)
}
