import assert from 'node:assert/strict'
import { createManualClock, createMemoryStore, createMetrics, createSilentLogger } from '@keelson/runtime'
import type { GossipVerdict } from '../../ports.ts'
import { encodeAttestationMessage } from './attestation-message.ts'
import { createAttestationService } from './attestation-service.ts'
import { attest, createStubContract, crypto, DOMAIN } from './attestations.test-support.ts'

type Hear = (message: Uint8Array, from: string) => Promise<GossipVerdict>

/** In epoch 7, whose validators are not settled yet; validators 1 and 2 are active. */
async function newService(unsafe = 75) {
  const clock = createManualClock(1_800_000_000_000)
  const contract = createStubContract(1, 2)
  let hear: Hear | null = null
  const service = createAttestationService(
    { chainId: DOMAIN.chainId, blockTimeMs: 2_000, contract: DOMAIN.contract },
    {
      reader: contract.reader,
      l2: { payload: async () => null },
      heads: () => ({ unsafe, safe: 0, finalized: 0 }),
      gossip: {
        attestations: {
          open(judge) {
            hear = judge
          },
          publish: async () => undefined,
        },
        onSignedBlock: () => undefined,
      },
      store: createMemoryStore(),
      crypto,
      clock,
      log: createSilentLogger(),
      metrics: createMetrics('test'),
    },
  )
  await service.step()
  const from = (peer: string, by: number, epoch: number, checkpointNumber = 1) =>
    (hear as Hear | null)?.(encodeAttestationMessage(attest(by, epoch, { checkpointNumber })), peer)
  return { service, contract, clock, from }
}

describe('what one peer may cost that brings attestations', () => {
  it('more than the rate is held against it once this node is known to be in the epoch, and the others are heard', async () => {
    const { from } = await newService()
    for (let i = 0; i < 500; i++) assert.equal(await from('hostile', 1, 5, i), 'ignore', 'epoch-over')
    assert.equal(await from('hostile', 1, 7), 'defer', 'it may be this node that is elsewhere')
    assert.equal(await from('honest', 1, 7), 'accept')
    assert.equal(await from('hostile', 2, 7), 'excess')
    assert.equal(await from('honest', 2, 7), 'accept')
  }).timeout(20_000)

  it('strangers of one peer are asked for within its own limit, and honest ones of others are known at once', async () => {
    const { contract, from, clock } = await newService()
    const verdicts: (GossipVerdict | undefined)[] = []
    for (let by = 3; by < 200; by++) verdicts.push(await from('hostile', by, 7))
    assert.equal(verdicts.filter((verdict) => verdict === 'ignore').length, 64)
    assert.equal(verdicts.filter((verdict) => verdict === 'defer').length, 133)
    assert.equal(contract.asked, 64)
    assert.equal(await from('hostile', 1, 7), 'defer')
    assert.equal(await from('honest', 1, 7), 'accept', 'from another it is taken')
    await clock.advance(1_000)
    assert.equal(await from('hostile', 2, 7), 'accept')
  }).timeout(20_000)

  it('places to wait for the next epoch are each peer’s own', async () => {
    const { from, clock } = await newService(79)
    const hostile = Array.from({ length: 257 }, (_, i) => from('hostile', 3, 8, i))
    assert.equal(await hostile.at(-1), 'defer')
    let verdict: GossipVerdict | undefined
    const honest = from('honest', 1, 8)?.then((told) => {
      verdict = told
    })
    await clock.advance(200)
    assert.equal(verdict, undefined, 'it waits')
    for (let waited = 0; waited < 4_000; waited += 200) await clock.advance(200)
    await Promise.all([...hostile, honest])
    assert.equal(verdict, 'ignore')
  }).timeout(20_000)
})
