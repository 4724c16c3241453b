import { readFileSync } from 'node:fs'
import { AssemblyError } from '../errors.ts'

/** Throws AssemblyError `node/usage`. */
export function readJsonFile(flag: string, path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new AssemblyError('node/usage', `${flag} ${path}: cannot be read: ${(cause as Error).message}`, {}, { cause })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser's message would quote the content, which may be a key.
    throw new AssemblyError('node/usage', `${flag} ${path}: expected a JSON document`, {}, { cause })
  }
}
