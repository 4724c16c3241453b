import { spawn } from 'node:child_process'
import { join } from 'node:path'

export const PROPERTY_TESTS = 'property-tests'
const ROOT = join(import.meta.dirname, '..', '..')
const MAX_FAILURE_CHARACTERS = 20_000

export interface PropertyTestResult {
  readonly tests: number
  readonly elapsedMs: number
  readonly failure: string | null
}

export async function runPropertyTests(seed: number): Promise<PropertyTestResult> {
  const began = performance.now()
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'test.mjs'), '--properties'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, KEELSON_PROPERTY_SEED: String(seed) },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_FAILURE_CHARACTERS)
    })
  const code = await new Promise((resolve) => child.once('close', resolve))
  const [, passed = '0', failed = '0'] =
    /^(\d+) passed, (\d+) failed$/m.exec(output.slice(output.lastIndexOf('\n', output.length - 2))) ?? []
  return { tests: Number(passed) + Number(failed), elapsedMs: performance.now() - began, failure: code === 0 ? null : output }
}
