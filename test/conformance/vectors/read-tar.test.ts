import assert from 'node:assert/strict'
import { readTar } from './read-tar.ts'

const BLOCK = 512

function entry(name: string, content: string, type = '0'): Buffer {
  const bytes = Buffer.from(content)
  const head = Buffer.alloc(BLOCK)
  head.write(name, 0)
  head.write(`${bytes.length.toString(8).padStart(11, '0')} `, 124)
  head.write(type, 156)
  return Buffer.concat([head, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)])
}

const END = Buffer.alloc(2 * BLOCK)
const read = (...entries: Buffer[]) => [...readTar(Buffer.concat(entries))].map(({ path, bytes }) => `${path}: ${bytes}`)

describe('the tar reader', () => {
  it('reads names of any length', () => {
    const long = `${'folder/'.repeat(30)}test.json`
    const record = ` path=${long}\n`
    const pax = `${record.length + 3}${record}`
    assert.deepEqual(
      read(
        entry('folder/', '', '5'),
        entry('short.json', '1'),
        entry('PaxHeaders/x', pax, 'x'),
        entry(long.slice(0, 99), '2'),
        entry('././@LongLink', `${long}\0`, 'L'),
        entry(long.slice(0, 99), '3'),
        entry('last.json', '4'),
        END,
      ),
      ['short.json: 1', `${long}: 2`, `${long}: 3`, 'last.json: 4'],
    )
  })

  it('rejects a truncated archive and an entry that is not a file', () => {
    assert.throws(() => read(entry('a.json', 'content').subarray(0, BLOCK + 3)), /ends inside a.json/)
    assert.throws(() => read(entry('a.json', '', '2'), END), /a.json is neither a file nor a folder/)
  })
})
