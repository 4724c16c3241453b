import assert from 'node:assert/strict'
import { enodeUrl, parseEnode } from './enode.ts'

const ID = 'ab'.repeat(64)

describe('enode URL', () => {
  it('names id, host and port', () => {
    for (const [url, host, port] of [
      [`enode://${ID}@10.0.0.1:30303`, '10.0.0.1', 30_303],
      [`enode://${ID}@[2001:db8::1]:1`, '2001:db8::1', 1],
      [`enode://${ID}@node.example:30304?discport=0`, 'node.example', 30_304],
    ] as const) {
      const node = parseEnode(url)
      assert.deepEqual(node, { id: new Uint8Array(64).fill(0xab), host, port })
      assert.ok(node !== null && url.startsWith(enodeUrl(node)))
    }
  })

  it('is nothing else', () => {
    for (const text of ['', `enode://${ID}`, `enode://${ID}@host`, `enode://${ID}@host:0`, `enode://${ID}@host:70000`, `enode://ab@host:1`])
      assert.equal(parseEnode(text), null, text)
  })
})
