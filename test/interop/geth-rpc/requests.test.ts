import assert from 'node:assert/strict'
import { generateRequests } from './requests.ts'

const word = (byte: string) => `0x${byte.repeat(32)}`
const facts = {
  accounts: [`0x${'aa'.repeat(20)}`],
  contract: `0x${'cc'.repeat(20)}`,
  blockHashes: [word('01')],
  txHashes: [word('02')],
  rawTxs: ['0x02'],
  topic: word('03'),
  filterIds: ['filter-0'],
}
const METHODS = ['eth_call', 'eth_getLogs', 'web3_sha3']

describe('the generated requests of the comparison', () => {
  it('follow from the seed', () => {
    const of = (seed: number) => generateRequests(METHODS, facts, { count: 60, seed })
    assert.deepEqual(of(7), of(7))
    assert.notDeepEqual(of(7), of(8))
  })

  it('ask every method equally often, with valid and with other parameters', () => {
    const requests = generateRequests(METHODS, facts, { count: 60, seed: 1 })
    for (const method of METHODS) assert.equal(requests.filter((request) => request.method === method).length, 20)
    const calls = requests.filter(({ method }) => method === 'eth_call')
    const isValid = ({ params: [call] }: (typeof calls)[number]) => typeof call === 'object' && call !== null && 'from' in call
    assert.ok(calls.some(isValid) && !calls.every(isValid))
  })
})
