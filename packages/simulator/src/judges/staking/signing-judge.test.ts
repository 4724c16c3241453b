import assert from 'node:assert/strict'
import type { Attestation } from '@keelson/contracts'
import { toAddress, toHash } from '@keelson/primitives'
import { SigningJudge } from './signing-judge.ts'

const KEY = toAddress(`0x${'11'.repeat(20)}`)
const OTHER_KEY = toAddress(`0x${'22'.repeat(20)}`)
const hash = toHash(`0x${'aa'.repeat(32)}`)
const attestation = (epoch: number, checkpointNumber: number): Attestation => ({
  epoch,
  checkpointNumber,
  checkpointHash: hash,
  l1OriginNumber: 1,
  l1OriginHash: hash,
})

describe('the judge of signatures', () => {
  const rulesAfter = (act: (judge: SigningJudge) => void) => {
    const judge = new SigningJudge()
    const rules: string[] = []
    act(judge)
    for (let look = 0; look < 2; look++) judge.look((rule) => rules.push(rule))
    return rules
  }

  it('allows the same attestation twice, other epochs, and the same epoch with another key', () => {
    const rules = rulesAfter((judge) => {
      judge.note(KEY, attestation(3, 40), 'first')
      judge.note(KEY, attestation(3, 40), 'first')
      judge.note(KEY, attestation(4, 50), 'second')
      judge.note(OTHER_KEY, attestation(3, 41), 'third')
    })
    assert.deepEqual(rules, [])
  })

  it('allows a key to sign twice from when it is under suspicion, and not before', () => {
    const rules = rulesAfter((judge) => {
      judge.note(KEY, attestation(3, 40), 'first')
      judge.note(KEY, attestation(3, 41), 'second')
      judge.suspect(KEY)
      judge.note(KEY, attestation(4, 50), 'third')
      judge.note(KEY, attestation(4, 51), 'fourth')
    })
    assert.deepEqual(rules, ['an honest key signs once in an epoch'])
  })

  it('reports an attestation that is signed before it is on disk', async () => {
    const judge = new SigningJudge()
    const bare = { address: KEY, signUnguarded: async () => new Uint8Array(65) }
    const request = { kind: 'attestation', domain: { chainId: 1n, contract: KEY }, anchor: hash, attestation: attestation(3, 40) } as const
    const rules: string[] = []
    for (const recorded of [true, false]) {
      await judge.watch(bare, async () => recorded).signUnguarded(request)
      judge.look((rule) => rules.push(`${rule} ${recorded}`))
    }
    assert.deepEqual(rules, ['an attestation is on disk before it is signed false'])
  })

  it('reports two different attestations of one key for one epoch, once', () => {
    const rules = rulesAfter((judge) => {
      judge.note(KEY, attestation(3, 40), 'first')
      judge.note(KEY, attestation(3, 41), 'second')
    })
    assert.deepEqual(rules, ['an honest key signs once in an epoch'])
  })
})
