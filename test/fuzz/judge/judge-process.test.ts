import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Judge, startJudge } from './judge-process.ts'

const HELLO = '{"name":"test","kinds":["frames"],"forks":["granite"]}'

describe('an external judge', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-judge-'))
  const started: Judge[] = []
  after(() => {
    for (const judge of started) judge.close()
    rmSync(folder, { recursive: true })
  })

  function writeJudge(name: string, answer: string): string {
    const path = join(folder, name)
    const source = `#!${process.execPath}
let n = 0
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const text = n === 0 ? '${HELLO}' : (${answer})(line, n)
  n++
  if (text !== null) process.stdout.write(text + '\\n')
})
`
    writeFileSync(path, source)
    chmodSync(path, 0o755)
    return path
  }

  async function start(name: string, answer: string): Promise<Judge> {
    const judge = await startJudge(writeJudge(name, answer))
    started.push(judge)
    return judge
  }

  it('answers requests in order', async () => {
    const judge = await start('echo', '(line) => JSON.stringify([line])')
    assert.deepEqual(judge.hello, JSON.parse(HELLO))
    assert.deepEqual(await judge.ask(['frames 0x01', 'frames 0x02']), [['frames 0x01'], ['frames 0x02']])
    assert.deepEqual(await judge.ask(['frames 0x03']), [['frames 0x03']])
  })

  it('is rejected with its path when it is missing or not executable', async () => {
    await assert.rejects(startJudge(join(folder, 'none')), /--judge .*none: expected a program that can be run/)
    const plain = join(folder, 'plain')
    writeFileSync(plain, 'text', { mode: 0o644 })
    await assert.rejects(startJudge(plain), /plain: expected a program that can be run/)
  })

  it('is reported with the open request, its exit code and its last output when it exits', async () => {
    const judge = await start('dies', "(line, n) => { if (n === 1) return '[]'; console.error('out of luck'); process.exit(3) }")
    const refusal = /dies ended with code 3; the first request without an answer: frames 0x02\n[\s\S]*out of luck/
    await assert.rejects(judge.ask(['frames 0x01', 'frames 0x02', 'frames 0x03']), refusal)
    await assert.rejects(judge.ask(['frames 0x04']), /ended with code 3; the first request without an answer: frames 0x04/)
  })

  it('is reported with its response and the request when it violates the protocol', async () => {
    const words = await start('words', "() => 'not JSON'")
    await assert.rejects(words.ask(['frames 0x01']), /expected a line of JSON, got not JSON in answer to frames 0x01/)
    const object = await start('object', "() => '{}'")
    await assert.rejects(object.ask(['frames 0x01']), /expected a JSON array of strings, got \{\}/)
  })
})
