import assert from 'node:assert/strict'
import { whyOneHostIsTrusted } from './second-opinion.ts'

describe('clients of one host that is not this machine', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['http://node.example:8545', 'http://node.example:9545', true],
    ['https://node.example/l2', 'https://NODE.example/rollup', true],
    ['http://10.0.0.7:8545', 'http://10.0.0.7:9545', true],
    ['http://127.example.org:8545', 'http://127.example.org:9545', true],
    ['http://node.example:8545', 'http://other.example:9545', false],
    ['http://127.0.0.1:8545', 'http://127.0.0.1:9545', false],
    ['http://localhost:8545', 'http://localhost:9545', false],
    ['http://[::1]:8545', 'http://[::1]:9545', false],
    ['http://127.0.0.1:8545', 'http://node.example:9545', false],
  ]
  for (const [l2, rollup, warned] of cases) {
    it(`${l2} and ${rollup} are ${warned ? 'warned of' : 'fine'}`, () => {
      const reason = whyOneHostIsTrusted(l2, rollup)
      assert.equal(reason !== null, warned)
      if (warned) assert.match(reason ?? '', /--rollup\.rpc\.check/)
    })
  }
})
