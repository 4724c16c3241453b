import assert from 'node:assert/strict'
import { type Address, type Hash, toAddress, toHash } from '@keelson/primitives'
import { type FaucetRecord, judgeFaucetRecord } from './faucet-judge.ts'

const hashOf = (n: number): Hash => toHash(`0x${String(n).padStart(64, '0')}`)
const addressOf = (n: number): Address => toAddress(`0x${String(n).padStart(40, '0')}`)
const payment = (hash: number, to: number) => ({ hash: hashOf(hash), to: addressOf(to), valueWei: 10n })
const claim = (id: number, of: Partial<FaucetRecord['claims'][number]> = {}) => ({
  ...{ id, address: addressOf(id), state: 'paid' as const, attempts: [hashOf(id)], amountWei: 10n, atMs: 1_000 },
  ...of,
})

function brokenBy(changes: Partial<FaucetRecord>): readonly string[] {
  const record: FaucetRecord = {
    claims: [claim(1), claim(2)],
    payments: [payment(1, 1), payment(2, 2)],
    promised: new Map([[addressOf(1), hashOf(1)]]),
    settledBeforeMs: 2_000,
    ...changes,
  }
  const rules: string[] = []
  judgeFaucetRecord(record, (rule) => rules.push(rule))
  return rules
}

const LEDGER = "the faucet's ledger is the chain"

describe('the judge of the faucet', () => {
  it('finds nothing wrong when every claim is paid once', () => {
    assert.deepEqual(brokenBy({}), [])
  })

  it('notices who is paid twice, also by a transaction that the ledger lost', () => {
    const payments = [payment(1, 1), payment(2, 2), payment(3, 1)]
    assert.deepEqual(brokenBy({ payments }), ['the faucet pays nobody twice', LEDGER])
    assert.deepEqual(brokenBy({ payments, claims: [claim(1, { attempts: [hashOf(1), hashOf(3)] }), claim(2)] }), [
      'the faucet pays nobody twice',
      LEDGER,
    ])
  })

  it('notices a promise that is not kept', () => {
    const promised = new Map([[addressOf(3), 'under way' as const]])
    assert.deepEqual(brokenBy({ promised }), ['the faucet pays what it promised'])
  })

  it('notices a claim whose state is not that of the chain', () => {
    assert.deepEqual(brokenBy({ payments: [payment(1, 1)] }), [LEDGER])
    assert.deepEqual(brokenBy({ claims: [claim(1), claim(2, { state: 'failed' })] }), [LEDGER])
    assert.deepEqual(brokenBy({ claims: [claim(1), claim(2, { state: 'sent' })] }), [LEDGER])
    assert.deepEqual(brokenBy({ claims: [claim(1), claim(2, { amountWei: 11n })] }), [LEDGER])
  })

  it('lets a new claim wait', () => {
    const waiting = claim(3, { state: 'reserved', attempts: [], atMs: 3_000 })
    assert.deepEqual(brokenBy({ claims: [claim(1), claim(2), waiting] }), [])
  })
})
