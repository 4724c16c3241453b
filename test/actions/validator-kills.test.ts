import assert from 'node:assert/strict'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { bigintToBytes, bytesToHex, createPureCrypto, type Hash, keccak256Hash } from '@keelson/primitives'
import { createManualClock, createMemoryStore, type KeyValueStore, Secret, type SnapshotKeyValueStore } from '@keelson/runtime'
import {
  type AttestationToSign,
  createGuardedSigner,
  createLocalValidatorSigner,
  createMachineRecord,
  createRemoteValidatorSigner,
  createSlashingProtection,
  initialiseProtectionStore,
  parseInterchange,
  renderInterchange,
  type SlashingProtection,
} from '@keelson/validator'
import fc from 'fast-check'
import { createRecordingStore, ReplayedContents } from '../support/crash-store.ts'
import { createMortal, type Mortal } from '../support/mortal.ts'

const crypto = createPureCrypto()
const local = createLocalValidatorSigner(new Secret(bigintToBytes(7n, 32)), crypto)
const KEY = local.address
const RUNS = 150

const hashOf = (text: string): Hash => keccak256Hash(new TextEncoder().encode(text))

function attestationFor(epoch: number, choice: number): AttestationToSign {
  return {
    domain: { chainId: 901n, contract: OWN_CONTRACTS.Staking },
    anchor: hashOf('anchor'),
    attestation: {
      epoch,
      checkpointNumber: epoch * 15 + choice,
      checkpointHash: hashOf(`block ${epoch} ${choice}`),
      l1OriginNumber: epoch,
      l1OriginHash: hashOf(`origin ${epoch}`),
    },
  }
}

async function copyOf(store: KeyValueStore): Promise<SnapshotKeyValueStore> {
  const copy = createMemoryStore()
  for await (const [put, value] of store.range(Uint8Array.of(0), Uint8Array.of(255))) await copy.batch([{ put, value }])
  return copy
}

async function beginStore(): Promise<SnapshotKeyValueStore> {
  const store = createMemoryStore()
  await initialiseProtectionStore(store, createManualClock())
  await createSlashingProtection(store, { clock: createManualClock() }).beginKey(KEY)
  return store
}

class Seen {
  readonly byEpoch = new Map<number, Set<number>>()
  highest = -1

  add(epoch: number, choice: number, watermark: number | null): void {
    const choices = this.byEpoch.get(epoch) ?? new Set()
    this.byEpoch.set(epoch, choices.add(choice))
    this.highest = Math.max(this.highest, epoch)
    assert.ok(choices.size === 1, `two attestations for epoch ${epoch}`)
    assert.ok(watermark === null || epoch > watermark, `signed for epoch ${epoch} at watermark ${watermark}`)
  }
}

class Validator {
  life: Mortal = createMortal()
  kills = 0
  refusals = 0
  disk: SnapshotKeyValueStore
  private readonly machine: SnapshotKeyValueStore | null
  private readonly seen: Seen

  constructor(disk: SnapshotKeyValueStore, machine: SnapshotKeyValueStore | null, seen: Seen) {
    this.disk = disk
    this.machine = machine
    this.seen = seen
  }

  protection(): SlashingProtection {
    const record = this.machine === null ? null : createMachineRecord(this.life.store(this.machine))
    return createSlashingProtection(this.life.store(this.disk), { clock: createManualClock(), machineRecord: () => record })
  }

  calm(): SlashingProtection {
    return createSlashingProtection(this.disk, { clock: createManualClock() })
  }

  async attempt(epoch: number, choice: number): Promise<void> {
    const { life } = this
    const watermark = await this.calm().watermark(KEY)
    const service = life.rpc({
      host: 'service',
      call: async () => {
        this.seen.add(epoch, choice, watermark)
        return bytesToHex(await local.signUnguarded({ kind: 'attestation', ...attestationFor(epoch, choice) }))
      },
      batch: async () => [],
      close: () => undefined,
    })
    const remote = createRemoteValidatorSigner(
      { address: KEY, host: 'service', timeoutMs: 1_000 },
      { call: (method, params) => service.call(method, params), crypto, clock: createManualClock() },
    )
    const signing = createGuardedSigner(remote, this.protection())
      .sign(attestationFor(epoch, choice))
      .catch((error: { code?: string }) => {
        assert.equal(error.code, 'consensus/signing-refused')
        this.refusals++
      })
    await Promise.race([signing, life.death])
    if (life.alive) return
    this.kills++
    this.life = createMortal()
  }
}

type Step =
  | { readonly do: 'attempt'; readonly who: number; readonly epoch: number; readonly choice: number }
  | { readonly do: 'kill'; readonly who: number; readonly effects: number; readonly after: boolean }
  | { readonly do: 'backup' | 'restore' | 'export' | 'import'; readonly who: number }
  | { readonly do: 'raise'; readonly who: number; readonly epoch: number }

const who = fc.integer({ min: 0, max: 1 })
const epoch = fc.integer({ min: 0, max: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('attempt' as const), who, epoch, choice: fc.integer({ min: 0, max: 1 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('kill' as const), who, effects: fc.integer({ min: 1, max: 3 }), after: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('backup' as const, 'restore' as const, 'export' as const, 'import' as const), who }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('raise' as const), who, epoch }) },
)

async function walk(steps: readonly Step[], options: { readonly stores: 1 | 2; readonly machine: boolean }) {
  const seen = new Seen()
  const machine = options.machine ? createMemoryStore() : null
  const validators = [new Validator(await beginStore(), machine, seen), new Validator(await beginStore(), machine, seen)] as const
  const backups = await Promise.all(validators.map(({ disk }) => copyOf(disk)))
  let exported = renderInterchange({ chain: null, keys: [] })
  for (const step of steps) {
    const index = options.stores === 1 ? 0 : step.who
    const validator = validators[index] as Validator
    const watermark = await validator.calm().watermark(KEY)
    if (step.do === 'attempt') await validator.attempt(step.epoch, step.choice)
    else if (step.do === 'kill') validator.life.dieAt(step.effects, step.after)
    else if (step.do === 'backup') backups[index] = await copyOf(validator.disk)
    else if (step.do === 'restore') {
      validator.disk = await copyOf(backups[index] as KeyValueStore)
      if (!options.machine && seen.highest >= 0) await validator.calm().raiseWatermark(KEY, seen.highest)
    } else if (step.do === 'export') exported = renderInterchange(await validator.calm().exportInterchange())
    else if (step.do === 'import') await validator.calm().importInterchange(parseInterchange(exported))
    else if (step.do === 'raise') await validator.calm().raiseWatermark(KEY, step.epoch)
    const after = await validator.calm().watermark(KEY)
    if (step.do !== 'restore') assert.ok((after ?? -1) >= (watermark ?? -1), `the watermark fell from ${watermark} to ${after}`)
  }
  return {
    signed: [...seen.byEpoch.values()].length,
    kills: validators[0].kills + validators[1].kills,
    refusals: validators[0].refusals + validators[1].refusals,
  }
}

async function holds(options: { readonly stores: 1 | 2; readonly machine: boolean }): Promise<void> {
  const total = { signed: 0, kills: 0, refusals: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const { signed, kills, refusals } = await walk(steps, options)
      total.signed += signed
      total.kills += kills
      total.refusals += refusals
    }),
    { numRuns: RUNS, seed: 20_26 },
  )
  for (const [what, count] of Object.entries(total)) assert.ok(count >= RUNS / 4, `${count} ${what}`)
}

describe('a validator signer that is killed at any step', () => {
  it("signs one attestation per epoch over kills, imports and old copies, once the watermark is raised to the chain's state", () =>
    holds({ stores: 1, machine: false }))

  it('signs one attestation per epoch without that when the machine keeps a record', () => holds({ stores: 1, machine: true }))

  it('signs one attestation per epoch from two stores with one key on one machine in succession', () => holds({ stores: 2, machine: true }))

  it('writes its decision to disk before it calls the service, at whichever write the disk fails', async () => {
    const recording = createRecordingStore()
    const clock = createManualClock()
    await initialiseProtectionStore(recording, clock)
    const protection = createSlashingProtection(recording, { clock })
    await protection.beginKey(KEY)
    const left: { readonly writes: number; readonly epoch: number; readonly choice: number }[] = []
    for (let epoch = 1; epoch <= 8; epoch++) {
      const choice = epoch % 3
      const signer = createGuardedSigner(
        {
          address: KEY,
          signUnguarded: async (request) => {
            left.push({ writes: recording.batches.length, epoch, choice })
            return local.signUnguarded(request)
          },
        },
        protection,
      )
      await signer.sign(attestationFor(epoch, choice))
      if (epoch === 4) await protection.raiseWatermark(KEY, 3)
    }
    assert.equal(left.length, 8)
    assert.ok(
      recording.batches.every(({ sync }) => sync),
      'nothing waits in memory',
    )
    const contents = new ReplayedContents()
    for (const [index, { ops }] of recording.batches.entries()) {
      contents.apply(ops)
      const writes = index + 1
      for (const { epoch, choice } of left.filter((one) => one.writes <= writes)) {
        const again = createSlashingProtection(contents.fork(), { clock })
        const other = await again.admitAttestation(KEY, attestationFor(epoch, (choice + 1) % 3))
        assert.equal(other.verdict, 'refused', `epoch ${epoch} after ${writes} writes`)
      }
    }
  })
})
