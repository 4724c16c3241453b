import assert from 'node:assert/strict'
import type { GossipVerdict } from '../../ports.ts'
import { encodeAttestationMessage } from './attestation-message.ts'
import { attest } from './attestations.test-support.ts'
import { createServiceWorld } from './service-world.test-support.ts'

async function newService(unsafe = 75) {
  const world = await createServiceWorld()
  world.heads.unsafe = unsafe
  const from = (peer: string, by: number, epoch: number, checkpointNumber = 1) =>
    world.bring(encodeAttestationMessage(attest(by, epoch, { checkpointNumber })), peer)
  return { ...world, from }
}

function signedByNobody(count: number): Uint8Array[] {
  const { attestation, signature } = attest(9, 7)
  return Array.from({ length: count }, (_, i) => {
    const changed = { ...attestation, l1OriginNumber: i }
    return encodeAttestationMessage({ attestation: changed, signature })
  })
}

function tally(verdicts: readonly GossipVerdict[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const verdict of verdicts) counts[verdict] = (counts[verdict] ?? 0) + 1
  return counts
}

describe('what one peer may cost that brings attestations', () => {
  it('more than the rate is held against it once this node is known to be in the epoch, and the others are heard', async () => {
    const { from } = await newService()
    for (let i = 0; i < 500; i++) assert.equal(await from('hostile', 1, 5, i), 'ignore', 'epoch-over')
    assert.equal(await from('hostile', 1, 7), 'defer', 'it may be this node that is elsewhere')
    assert.equal(await from('honest', 1, 7), 'accept')
    assert.equal(await from('hostile', 2, 7), 'excess')
    assert.equal(await from('honest', 2, 7), 'accept')
  })

  it('strangers of one peer are asked for within its own limit, and honest ones of others are known at once', async () => {
    const { contract, from, clock } = await newService()
    const verdicts: GossipVerdict[] = []
    for (let by = 4; by < 201; by++) verdicts.push(await from('hostile', by, 7))
    assert.deepEqual(tally(verdicts), { ignore: 64, defer: 133 })
    assert.equal(contract.asked, 64)
    assert.equal(await from('hostile', 1, 7), 'defer')
    assert.equal(await from('honest', 1, 7), 'accept', 'from another it is taken')
    await clock.advance(1_000)
    assert.equal(await from('hostile', 2, 7), 'accept')
  })

  it('a burst of random signatures costs no more than the budget, however many arrive at once', async () => {
    const { bring, contract, recovered } = await newService()
    const verdicts = await Promise.all(signedByNobody(1_500).map((message) => bring(message, 'hostile')))
    assert.equal(recovered(), 500)
    assert.equal(contract.asked, 64)
    assert.deepEqual(tally(verdicts), { ignore: 64, defer: 1_436 })
    assert.equal(await bring(encodeAttestationMessage(attest(1, 7)), 'honest'), 'accept')
    assert.equal(await bring(encodeAttestationMessage(attest(2, 7)), 'hostile'), 'excess')
    assert.equal(recovered(), 501)
  })

  it('random signatures cost no more while the execution client is down, and no peer is penalised for that', async () => {
    const { bring, contract, recovered, from } = await newService()
    assert.equal(await from('honest', 1, 7), 'accept')
    contract.down = true
    const messages = signedByNobody(300)
    for (const message of [...messages, ...messages, ...messages]) assert.equal(await bring(message, 'hostile'), 'defer')
    assert.equal(recovered(), 501)
    contract.down = false
    assert.equal(await from('honest', 2, 7), 'accept')
  })

  it('a burst of attestations that are accepted is free, however many arrive at once', async () => {
    const active = Array.from({ length: 150 }, (_, i) => i + 1)
    const { bring, contract } = await createServiceWorld({ active })
    const ones = active.flatMap((by) => [6, 7].flatMap((epoch) => [attest(by, epoch), attest(by, epoch, { checkpointNumber: 1 })]))
    assert.equal(ones.length, 600)
    const verdicts = await Promise.all(ones.map((one) => bring(encodeAttestationMessage(one), 'honest')))
    assert.deepEqual(tally(verdicts), { accept: 600 })
    assert.equal(contract.asked, 300)
  })

  it('places to wait for the next epoch are each peer’s own', async () => {
    const { from, clock, recovered } = await newService(79)
    const hostile = Array.from({ length: 257 }, (_, i) => from('hostile', 3, 8, i))
    assert.equal(await hostile.at(-1), 'defer')
    let verdict: GossipVerdict | undefined
    const honest = from('honest', 1, 8).then((given) => {
      verdict = given
    })
    await clock.advance(200)
    assert.equal(verdict, undefined, 'it waits')
    for (let waited = 0; waited < 4_000; waited += 200) await clock.advance(200)
    await Promise.all([...hostile, honest])
    assert.equal(verdict, 'ignore')
    assert.equal(recovered(), 0, 'nothing is recovered before the epoch begins')
  })
})
