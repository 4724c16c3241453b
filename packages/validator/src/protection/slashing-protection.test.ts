import assert from 'node:assert/strict'
import { bytesToHex, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import { ANCHOR, addressOf, attestationFor, hashOf } from '../attestation.test-support.ts'
import { signingRequestDigest } from '../signer.ts'
import { createSlashingProtection } from './create-protection.ts'
import { parseInterchange, renderInterchange } from './interchange.ts'
import { createMachineRecord } from './machine-record.ts'
import { initialiseProtectionStore, KEPT_EPOCHS } from './protection-store.ts'
import type { Admission, SlashingProtection } from './slashing-protection.ts'

const clock = createManualClock(1_700_000_000_000)
const KEY = addressOf(0)
const OTHER = addressOf(1)

async function begin(store: KeyValueStore = createMemoryStore(), ...keys: readonly (typeof KEY)[]): Promise<SlashingProtection> {
  await initialiseProtectionStore(store, clock)
  const protection = createSlashingProtection(store, { clock })
  for (const key of keys.length === 0 ? [KEY] : keys) await protection.beginKey(key)
  return protection
}

const outcome = (admission: Admission) => (admission.verdict === 'refused' ? admission.reason : admission.verdict)

describe('slashing protection', () => {
  it('admits one attestation for an epoch, again and again, and no other', async () => {
    const protection = await begin()
    assert.equal(outcome(await protection.admitAttestation(KEY, attestationFor(5))), 'new')
    assert.equal(outcome(await protection.admitAttestation(KEY, attestationFor(5))), 'repeated')
    const refused = await protection.admitAttestation(KEY, attestationFor(5, 1))
    assert.equal(outcome(refused), 'other-attestation-in-epoch')
    assert.ok(
      refused.verdict === 'refused' && refused.message.includes('has signed for block 75 ') && refused.message.includes('block 76 '),
    )
    assert.equal(outcome(await protection.admitAttestation(KEY, attestationFor(6, 1))), 'new')
  })

  it('tells an attestation apart by every one of its fields', async () => {
    const base = attestationFor(5)
    const { attestation } = base
    for (const change of [
      { checkpointNumber: attestation.checkpointNumber + 1 },
      { checkpointHash: hashOf(1) },
      { l1OriginNumber: attestation.l1OriginNumber + 1 },
      { l1OriginHash: hashOf(1) },
    ]) {
      const protection = await begin()
      await protection.admitAttestation(KEY, base)
      const other = { ...base, attestation: { ...attestation, ...change } }
      assert.equal(outcome(await protection.admitAttestation(KEY, other)), 'other-attestation-in-epoch', Object.keys(change)[0])
    }
  })

  it('goes upwards only: what lies before the newest epoch is refused unless it is on record', async () => {
    const protection = await begin()
    for (const epoch of [3, 9]) await protection.admitAttestation(KEY, attestationFor(epoch))
    assert.equal(outcome(await protection.admitAttestation(KEY, attestationFor(7))), 'older-than-newest')
    assert.equal(outcome(await protection.admitAttestation(KEY, attestationFor(3))), 'repeated')
  })

  it('keeps keys apart, and refuses one it has no record of, saying what to do', async () => {
    const protection = await begin(createMemoryStore(), KEY, OTHER)
    await protection.admitAttestation(KEY, attestationFor(5))
    assert.equal(outcome(await protection.admitAttestation(OTHER, attestationFor(5, 1))), 'new')
    const refused = await protection.admitAttestation(addressOf(2), attestationFor(5))
    assert.equal(outcome(refused), 'unknown-key')
    assert.ok(refused.verdict === 'refused' && refused.message.includes(`init --new-key ${addressOf(2)}`))
    assert.deepEqual(
      (await protection.keys()).map(({ key }) => key),
      [KEY, OTHER].sort(),
    )
  })

  it('is of one chain from the first signature on', async () => {
    const protection = await begin()
    assert.equal(protection.chain(), null)
    await protection.admitAttestation(KEY, attestationFor(5))
    assert.deepEqual(protection.chain(), { ...attestationFor(5).domain, anchor: ANCHOR })
    const next = attestationFor(6)
    for (const other of [
      { ...next, anchor: hashOf(8) },
      { ...next, domain: { ...next.domain, chainId: 10n } },
      { ...next, domain: { ...next.domain, contract: OTHER } },
    ]) {
      assert.equal(outcome(await protection.admitAttestation(KEY, other)), 'other-chain')
    }
    const fresh = await begin()
    assert.equal(outcome(await fresh.admitAttestation(KEY, attestationFor(5, 0, ZERO_HASH))), 'other-chain')
    assert.equal(fresh.chain(), null)
  })

  it('refuses epochs up to the watermark, which only rises', async () => {
    const protection = await begin()
    assert.equal(await protection.watermark(KEY), null)
    await protection.admitAttestation(KEY, attestationFor(5))
    await protection.raiseWatermark(KEY, 8)
    await protection.raiseWatermark(KEY, 2)
    assert.equal(await protection.watermark(KEY), 8)
    for (const epoch of [5, 8]) assert.equal(outcome(await protection.admitAttestation(KEY, attestationFor(epoch))), 'below-watermark')
    assert.deepEqual(await protection.recordedAttestation(KEY, 5), attestationFor(5), 'and what was signed stays known')
    assert.equal(outcome(await protection.admitAttestation(KEY, attestationFor(9))), 'new')
    await assert.rejects(protection.raiseWatermark(OTHER, 9), { code: 'consensus/protection-missing' })
  })

  it('returns what it recorded, so that a restart continues with the same', async () => {
    const store = createMemoryStore()
    const request = attestationFor(5, 3)
    await (await begin(store)).admitAttestation(KEY, request)
    const again = createSlashingProtection(store, { clock })
    assert.deepEqual(await again.recordedAttestation(KEY, 5), request)
    assert.equal(await again.recordedAttestation(KEY, 6), null)
    assert.equal(outcome(await again.admitAttestation(KEY, request)), 'repeated')
  })

  it('decides one after the other: of many at once for one epoch one attestation is signed', async () => {
    const protection = await begin()
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => protection.admitAttestation(KEY, attestationFor(5, i % 4))))
    assert.deepEqual(
      all.map(outcome),
      Array.from({ length: 20 }, (_, i) => (i === 0 ? 'new' : i % 4 === 0 ? 'repeated' : 'other-attestation-in-epoch')),
    )
  })

  it('keeps a bounded number of epochs, and refuses those it has forgotten', async () => {
    const store = createMemoryStore()
    const protection = await begin(store)
    for (let epoch = 1; epoch <= KEPT_EPOCHS + 10; epoch++) await protection.admitAttestation(KEY, attestationFor(epoch))
    assert.equal(await protection.recordedAttestation(KEY, 10), null)
    assert.notEqual(await protection.recordedAttestation(KEY, 11), null)
    assert.equal(outcome(await protection.admitAttestation(KEY, attestationFor(10, 1))), 'older-than-newest')
    await protection.raiseWatermark(KEY, KEPT_EPOCHS + 10)
    assert.equal(outcome(await protection.admitAttestation(KEY, attestationFor(KEPT_EPOCHS + 10))), 'below-watermark')
  })

  it('a stop holds for all keys, over restarts, with its first reason, until it is lifted', async () => {
    const store = createMemoryStore()
    const protection = await begin(store, KEY, OTHER)
    await protection.stop('key was slashed in epoch 4', OTHER)
    await protection.stop('another reason')
    const again = createSlashingProtection(store, { clock })
    assert.deepEqual(again.stopped(), { reason: 'key was slashed in epoch 4', sinceMs: 1_700_000_000_000, key: OTHER })
    const refused = await again.admitAttestation(KEY, attestationFor(5))
    assert.equal(outcome(refused), 'stopped')
    assert.ok(refused.verdict === 'refused' && refused.message.includes('key was slashed in epoch 4'))
    await again.clearStop()
    assert.equal(again.stopped(), null)
    assert.equal(outcome(await again.admitAttestation(KEY, attestationFor(5))), 'new')
  })

  it('signs nothing that could not be recorded', async () => {
    const inner = createMemoryStore()
    await begin(inner)
    const protection = createSlashingProtection({ ...inner, batch: () => Promise.reject(new Error('no space left')) }, { clock })
    await assert.rejects(protection.admitAttestation(KEY, attestationFor(5)), { message: 'no space left' })
    assert.equal(await createSlashingProtection(inner, { clock }).recordedAttestation(KEY, 5), null)
  })

  it('a store without header, of a later layout, or with a broken record is damaged, never empty', async () => {
    assert.throws(() => createSlashingProtection(createMemoryStore(), { clock }), { code: 'consensus/protection-damaged' })
    const later = createMemoryStore()
    await later.batch([{ put: Uint8Array.of(0x98), value: Uint8Array.of(0xc3, 2, 0x80, 0xc0) }])
    assert.throws(() => createSlashingProtection(later, { clock }), { code: 'consensus/protection-damaged', message: /layout 2/ })
    const store = createMemoryStore()
    const protection = await begin(store)
    await protection.admitAttestation(KEY, attestationFor(5))
    for await (const [put, value] of store.range(Uint8Array.of(0x9a), Uint8Array.of(0x9b))) {
      value[value.length - 1] = (value.at(-1) as number) ^ 1
      await store.batch([{ put, value }])
    }
    await assert.rejects(protection.admitAttestation(KEY, attestationFor(5, 1)), {
      code: 'consensus/protection-damaged',
      message: /epoch 5/,
    })
  })
})

describe('slashing protection with a record of the machine', () => {
  it('an old copy of the store signs only beyond what the machine has seen, on that chain', async () => {
    const machine = createMachineRecord(createMemoryStore())
    const copy = createMemoryStore()
    const store = createMemoryStore()
    for (const one of [store, copy]) await begin(one)
    const open = (on: KeyValueStore) => createSlashingProtection(on, { clock, machineRecord: () => machine })
    for (const epoch of [5, 6]) assert.equal(outcome(await open(store).admitAttestation(KEY, attestationFor(epoch))), 'new')
    const refused = await open(copy).admitAttestation(KEY, attestationFor(6, 1))
    assert.equal(outcome(refused), 'below-watermark')
    assert.ok(refused.verdict === 'refused' && refused.message.includes('for epoch 6 from a store that knew more'))
    assert.equal(outcome(await open(copy).admitAttestation(KEY, attestationFor(7))), 'new')
    assert.equal(outcome(await open(store).admitAttestation(KEY, attestationFor(7, 1))), 'below-watermark')
    const otherChain = createMemoryStore()
    await begin(otherChain)
    assert.equal(outcome(await open(otherChain).admitAttestation(KEY, attestationFor(2, 0, hashOf(9)))), 'new')
  })

  it('what the store has and the machine missed is made good when it is signed again', async () => {
    const machineStore = createMemoryStore()
    const store = createMemoryStore()
    await (await begin(store)).admitAttestation(KEY, attestationFor(5))
    const machine = createMachineRecord(machineStore)
    const protection = createSlashingProtection(store, { clock, machineRecord: () => machine })
    assert.equal(outcome(await protection.admitAttestation(KEY, attestationFor(5))), 'repeated')
    assert.equal(machine.newest({ ...attestationFor(5).domain, anchor: ANCHOR })?.epoch, 5)
  })

  it('of two stores with different records for one epoch, where one died before it signed, only the other continues', async () => {
    const machine = createMachineRecord(createMemoryStore())
    const [died, other] = [createMemoryStore(), createMemoryStore()]
    const open = (on: KeyValueStore) => createSlashingProtection(on, { clock, machineRecord: () => machine })
    await (await begin(died)).admitAttestation(KEY, attestationFor(5))
    await begin(other)
    assert.equal(outcome(await open(other).admitAttestation(KEY, attestationFor(5, 1))), 'new')
    assert.equal(outcome(await open(died).admitAttestation(KEY, attestationFor(5))), 'other-attestation-in-epoch')
    assert.equal(outcome(await open(died).admitAttestation(KEY, attestationFor(6))), 'new')
  })
})

describe('interchange', () => {
  async function used(): Promise<SlashingProtection> {
    const protection = await begin(createMemoryStore(), KEY, OTHER)
    await protection.raiseWatermark(KEY, 2)
    for (const epoch of [4, 5]) await protection.admitAttestation(KEY, attestationFor(epoch))
    return protection
  }

  it('has the form the README gives', async () => {
    const text = renderInterchange(await (await used()).exportInterchange([KEY]))
    const root = (epoch: number) => bytesToHex(signingRequestDigest({ kind: 'attestation', ...attestationFor(epoch) }))
    assert.deepEqual(JSON.parse(text), {
      metadata: {
        interchange_format_version: '1',
        staking_chain: { chain_id: '901', verifying_contract: '0x6b65656c736f6e00000000000000000000000003', anchor: ANCHOR },
      },
      data: [
        {
          address: KEY,
          watermark_epoch: '2',
          signed_blocks: [],
          signed_attestations: [
            { epoch: '4', signing_root: root(4) },
            { epoch: '5', signing_root: root(5) },
          ],
        },
      ],
    })
  })

  it('carries over what must not be signed any more, twice as well as once', async () => {
    const file = parseInterchange(renderInterchange(await (await used()).exportInterchange()))
    const store = createMemoryStore()
    await initialiseProtectionStore(store, clock)
    const target = createSlashingProtection(store, { clock })
    const first = await target.importInterchange(file)
    assert.deepEqual(first, {
      keys: [
        { key: KEY, watermark: 5, newestEpoch: null },
        { key: OTHER, watermark: null, newestEpoch: null },
      ].sort((a, b) => (a.key < b.key ? -1 : 1)),
      conflicts: [],
    })
    const once = await target.exportInterchange()
    assert.deepEqual(await target.importInterchange(file), first)
    assert.deepEqual(await target.exportInterchange(), once)
    assert.equal(outcome(await target.admitAttestation(KEY, attestationFor(5))), 'below-watermark')
    assert.equal(outcome(await target.admitAttestation(KEY, attestationFor(6, 0, hashOf(8)))), 'other-chain')
    assert.equal(outcome(await target.admitAttestation(KEY, attestationFor(6))), 'new')
  })

  it('never lowers what the store has, and names epochs in which the two signed differently', async () => {
    const target = await begin()
    await target.admitAttestation(KEY, attestationFor(5, 1))
    await target.raiseWatermark(KEY, 4)
    const outcome = await target.importInterchange(await (await used()).exportInterchange())
    assert.deepEqual(outcome.conflicts, [{ key: KEY, epoch: 5 }])
    assert.equal(await target.watermark(KEY), 5)
    await target.raiseWatermark(KEY, 50)
    await target.importInterchange(await (await used()).exportInterchange())
    assert.equal(await target.watermark(KEY), 50)
  })

  it('of another chain changes nothing', async () => {
    const target = await begin()
    await target.admitAttestation(KEY, attestationFor(1, 0, hashOf(8)))
    await assert.rejects(target.importInterchange(await (await used()).exportInterchange()), {
      code: 'consensus/protection-import',
      message: /give each chain a data directory of its own/,
    })
    assert.deepEqual(await target.keys(), [{ key: KEY, watermark: null, newestEpoch: 1 }])
  })

  it('takes two entries for one key together', async () => {
    const entry = (epoch: string) => ({ address: KEY, signed_attestations: [{ epoch }] })
    const chain = { chain_id: '901', verifying_contract: OTHER, anchor: ANCHOR }
    const file = { metadata: { interchange_format_version: '1', staking_chain: chain }, data: [entry('9'), entry('3')] }
    const store = createMemoryStore()
    await initialiseProtectionStore(store, clock)
    const target = createSlashingProtection(store, { clock })
    await target.importInterchange(parseInterchange(JSON.stringify(file)))
    assert.equal(await target.watermark(KEY), 9)
  })

  it('that is not one is refused with the part that is wrong', () => {
    const chain = { chain_id: '901', verifying_contract: OTHER, anchor: ANCHOR }
    const metadata = { interchange_format_version: '1', staking_chain: chain }
    const key = { address: KEY, signed_attestations: [{ epoch: '1' }] }
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [[], /the file/],
      [{ metadata: { ...metadata, interchange_format_version: '5' }, data: [] }, /interchange_format_version: expected "1", got "5"/],
      [{ metadata: { ...metadata, genesis_validators_root: hashOf(1) }, data: [] }, /beacon chain/],
      [{ metadata: { ...metadata, staking_chain: { ...chain, chain_id: 901 } }, data: [] }, /staking_chain\.chain_id/],
      [{ metadata: { ...metadata, staking_chain: { ...chain, anchor: '0x12' } }, data: [] }, /staking_chain\.anchor/],
      [{ metadata: { interchange_format_version: '1' }, data: [key] }, /does not say of which chain/],
      [{ metadata, data: {} }, /data/],
      [{ metadata, data: [{ ...key, address: '0x12' }] }, /data.*address/],
      [{ metadata, data: [{ ...key, signed_attestations: [{ epoch: 1 }] }] }, /epoch: expected an epoch in quotes, got 1/],
      [{ metadata, data: [{ ...key, signed_attestations: [{ epoch: '-1' }] }] }, /epoch in quotes/],
      [{ metadata, data: [{ ...key, signed_attestations: [{ epoch: '9999999999999999' }] }] }, /epoch in quotes/],
      [{ metadata, data: [{ ...key, signed_attestations: [{ epoch: '1', signing_root: '0x1' }] }] }, /signing_root/],
      [{ metadata, data: [{ ...key, signed_blocks: [{ slot: '1' }] }] }, /signed_blocks/],
    ]
    for (const [document, message] of cases) {
      assert.throws(() => parseInterchange(JSON.stringify(document)), { code: 'consensus/protection-import', message })
    }
    assert.throws(() => parseInterchange('{'), { code: 'consensus/protection-import' })
  })
})
