import assert from 'node:assert/strict'
import { parseNode, showEnode } from './enode.ts'

/** The record of EIP-778, and the key it states. */
const RECORD =
  'enr:-IS4QHCYrYZbAKWCBRlAy5zzaDZXJBGkcnh4MHcBFZntXNFrdvJjX04jRzjzCBOonrkTfj499SZuOh8R33Ls8RRcy5wBgmlkgnY0gmlwhH8AAAGJc2VjcDI1NmsxoQPKY0yuDUmstAHYpMa2_oxVtw0RW_QAdpzBQA8yWM0xOIN1ZHCCdl8'
const KEY =
  'ca634cae0d49acb401d8a4c6b6fe8c55b70d115bf400769cc1400f3258cd31387574077f301b421bc84df7266c44e9e6d569fc56be00812904767bf5ccd1fc7f'

describe('addresses of nodes', () => {
  it('reads enode URLs and writes them again', () => {
    for (const [host, ports, tcpPort, udpPort] of [
      ['192.0.2.1', '30303', 30303, 30303],
      ['192.0.2.1', '30303?discport=30301', 30303, 30301],
      ['192.0.2.1', '30303?discport=0', 30303, 0],
      ['[2001:db8::1]', '30303', 30303, 30303],
      ['execution-1.example', '1', 1, 1],
    ] as const) {
      const text = `enode://${KEY}@${host}:${ports}`
      const parsed = parseNode(text)
      assert.ok(parsed.kind === 'node', text)
      assert.deepEqual(parsed.node, { id: `0x${KEY}`, host: host.replace(/[[\]]/g, ''), tcpPort, udpPort })
      assert.equal(showEnode(parsed.node), text)
    }
  })

  it('reads a node record, whose key is compressed', () => {
    const withoutTcp = parseNode(RECORD)
    assert.deepEqual(withoutTcp, { kind: 'bad', reason: 'the record has no TCP port' })
  })

  it('rejects what it cannot dial, with a reason', () => {
    for (const text of [
      '',
      'enode://',
      `enode://${KEY}@192.0.2.1`,
      `enode://${KEY}@192.0.2.1:0`,
      `enode://${KEY}@192.0.2.1:65536`,
      `enode://${KEY}@192.0.2.1:30303?discport=65536`,
      `enode://${KEY.slice(2)}@192.0.2.1:30303`,
      `enode://${'11'.repeat(64)}@192.0.2.1:30303`,
      `enode://${KEY}@-:30303`,
      `http://${KEY}@192.0.2.1:30303`,
      'enr:',
      'enr:wA',
      'enr:AAAA',
      `enr:${'_'.repeat(100)}`,
    ]) {
      assert.equal(parseNode(text).kind, 'bad', text)
    }
  })
})
