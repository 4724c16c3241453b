import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type Address, formatEther, type Hex, parseEther } from 'viem'
import { syncStatus } from './chain-reading.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from './devnet-process.ts'
import { eventually, growsTo } from './eventually.ts'
import { type FollowerProcess, startFollower } from './follower-process.ts'
import { rpcCall } from './json-rpc.ts'
import type { Finished, KeelsonProcess } from './keelson-process.ts'
import type { Attestation } from './staking-contract.ts'
import { createStakingReader, type StakingReader, signedAttestationJson } from './staking-reader.ts'
import { createValidatorOperator, type ValidatorOperator } from './validator-process.ts'

export const EPOCH = 15
/** Epochs from offence to report: two are too few on a busy machine; four would add a day of silence. */
const REPORTED_IN_EPOCHS = 3
export const PERIODS = { day: 30, evidence: REPORTED_IN_EPOCHS * EPOCH, unbonding: (REPORTED_IN_EPOCHS + 2) * EPOCH + 1 }
export const SILENT_DAYS = 2
const BLOCK_MS = 2_000
const LOG_LINES = 20
const slot = (epoch: number) => epoch * EPOCH
const epochMs = (epochs: number) => epochs * EPOCH * BLOCK_MS

/** Odd amounts, so that every division rounds. */
export const STAKES = {
  honest: parseEther('4000.000000000000000007'),
  wrong: parseEther('3000.000000000000000011'),
  offline: parseEther('2000.000000000000000013'),
  double: parseEther('1000.000000000000000017'),
} as const
export type Name = keyof typeof STAKES
export const NAMES = Object.keys(STAKES) as readonly Name[]

const lastLines = (process: KeelsonProcess | undefined) => process?.output().trimEnd().split('\n').slice(-LOG_LINES).join('\n')

type Account = DevnetProcess['facts']['accounts'][number]

/** Three of four validators commit different offences in one epoch. */
export class ValidatorScenario {
  readonly devnet: DevnetProcess
  readonly chain: StakingReader
  readonly validators: Readonly<Record<Name, ValidatorOperator>>
  readonly processes: Partial<Record<Name, KeelsonProcess>> = {}
  readonly metricsPort: number
  follower: FollowerProcess | undefined
  erred = 0
  /** Block of the last settlement. */
  end = 0
  doubleEnded: Finished | undefined
  readonly #followerPort: number
  readonly #names: ReadonlyMap<string, Name>

  constructor(devnet: DevnetProcess, chain: StakingReader, validators: Readonly<Record<Name, ValidatorOperator>>, followerPort: number) {
    this.devnet = devnet
    this.chain = chain
    this.validators = validators
    this.metricsPort = followerPort + 10
    this.#followerPort = followerPort
    this.#names = new Map(NAMES.map((name) => [validators[name].address.toLowerCase(), name]))
  }

  /** Returns false for the network's first validator. */
  isOurs(validator: Address): boolean {
    return this.#names.has(validator.toLowerCase())
  }

  nameOf(validator: Address): string {
    return this.#names.get(validator.toLowerCase()) ?? validator
  }

  account(index: number): Account {
    return this.devnet.facts.accounts[index] as Account
  }

  async run(): Promise<void> {
    await this.#begin()
    await this.#err()
    await Promise.all([this.#beReported(), this.#attestOn()])
    await this.#settleAll()
  }

  async #reachBlock(number: number): Promise<void> {
    await growsTo('the chain', number, () => this.chain.head())
  }

  async #begin(): Promise<void> {
    for (const [index, name] of (['honest', 'offline', 'double'] as const).entries()) {
      this.processes[name] = this.validators[name].run(this.metricsPort + index)
    }
    const partWei = parseEther('500.5')
    await Promise.all(
      NAMES.map(async (name) => {
        const firstWei = name === 'honest' ? STAKES[name] - partWei : STAKES[name]
        const registered = await this.validators[name].asOwner('register', '--amount', formatEther(firstWei))
        assert.equal(registered.stakeWei, firstWei.toString())
        if (name !== 'honest') return
        const staked = await this.validators[name].asOwner('stake', '--amount', formatEther(partWei))
        assert.equal(staked.stakeWei, STAKES[name].toString())
      }),
    )
    const registeredIn = Math.floor((await this.chain.head()) / EPOCH)
    const first = await Promise.all(
      Object.values(this.processes).map((process) =>
        eventually('the start epoch in the log of a process', async () =>
          Number(/"firstEpoch":(\d+)/.exec((process as KeelsonProcess).output())?.[1] ?? 0),
        ),
      ),
    )
    await eventually('finalized blocks', async () => {
      const { finalized_l2 } = await syncStatus(this.devnet.facts.validator.rollupRpcUrl)
      return finalized_l2.number > 1
    })
    // One silent epoch costs nothing.
    const attestedIn = await this.#attestOnce('wrong', Math.max(registeredIn + 1, Math.floor((await this.chain.head()) / EPOCH)))
    this.erred = Math.max(attestedIn + 1, ...first)
    for (let epoch = attestedIn + 1; epoch < this.erred; epoch++) await this.#attestFor('wrong', epoch)
  }

  async #attestOnce(name: Name, epoch: number): Promise<number> {
    try {
      await this.#attestFor(name, epoch)
      return epoch
    } catch (error) {
      if ((await this.chain.head()) < slot(epoch + 1) - 2) throw error
      await this.#attestFor(name, epoch + 1)
      return epoch + 1
    }
  }

  async #checkpoint(epoch: number, below = slot(epoch)): Promise<Attestation> {
    const { rollupRpcUrl } = this.devnet.facts.validator
    const number = Math.min((await syncStatus(rollupRpcUrl)).finalized_l2.number, below - 1)
    assert.ok(number > 0, `block ${number} is final`)
    type Output = { readonly blockRef: { readonly hash: Hex; readonly l1origin: { readonly number: number; readonly hash: Hex } } }
    const { blockRef } = await rpcCall<Output>(rollupRpcUrl, 'rollup_outputAtBlock', [`0x${number.toString(16)}`])
    return {
      epoch: BigInt(epoch),
      checkpointNumber: BigInt(number),
      checkpointHash: blockRef.hash,
      l1OriginNumber: BigInt(blockRef.l1origin.number),
      l1OriginHash: blockRef.l1origin.hash,
    }
  }

  async #attestFor(name: Name, epoch: number): Promise<void> {
    await this.#reachBlock(slot(epoch))
    const signed = await this.chain.sign(this.validators[name].key, await this.#checkpoint(epoch))
    const { blockNumber } = await this.chain.send(this.account(9).privateKey, { name: 'attest', signed })
    assert.ok(Number(blockNumber) < slot(epoch + 1))
  }

  async #err(): Promise<void> {
    const attesting = (['honest', 'offline', 'double'] as const).map((name) => this.validators[name].address.toLowerCase())
    const attested = await eventually(
      'the attestations of three validators',
      async () => {
        const found = (await this.chain.eventsOf('Attested')).filter(({ args }) => Number(args.epoch) === this.erred)
        const checkpoints = new Map(found.map(({ args }) => [args.validator.toLowerCase(), Number(args.checkpointNumber)]))
        return attesting.every((address) => checkpoints.has(address)) && checkpoints
      },
      epochMs(3),
    )
    await this.processes.offline?.kill()
    const publish = async (url: string, key: Hex, attestation: Attestation) => {
      const answer = await rpcCall(url, 'rollup_publishAttestation', [signedAttestationJson(await this.chain.sign(key, attestation))])
      assert.equal(answer, 'accepted')
    }
    const other = this.devnet.facts.l2.rollupRpcUrl
    await publish(other, this.validators.double.key, await this.#checkpoint(this.erred, attested.get(this.validators.double.address)))
    await publish(other, this.validators.wrong.key, { ...(await this.#checkpoint(this.erred)), checkpointHash: `0x${'bad0'.repeat(16)}` })
  }

  async #beReported(): Promise<void> {
    await eventually(
      'both offences on chain',
      async () => {
        const found = await this.chain.logs()
        const missing = ['SlashedOut', 'InvalidAttestationReported'].filter((name) => !found.some(({ eventName }) => eventName === name))
        assert.deepEqual(
          missing,
          [],
          `missing in block ${await this.chain.head()}, offences in epoch ${this.erred}\n${lastLines(this.processes.honest)}`,
        )
        return true
      },
      epochMs(REPORTED_IN_EPOCHS),
    )
    this.doubleEnded = await (this.processes.double as KeelsonProcess).finished
  }

  async #attestOn(): Promise<void> {
    const last = this.erred + (SILENT_DAYS * PERIODS.day) / EPOCH
    for (let epoch = this.erred + 1; epoch <= last; epoch++) {
      await this.#attestFor('wrong', epoch)
      if (epoch === last) this.follower = startFollower(this.devnet, this.#followerPort)
    }
    await this.#reachBlock(slot(last + 1))
    await eventually(
      'the final penalty of the invalid attestation',
      async () => (await this.chain.eventsOf('InvalidAttestationClosed')).length,
      epochMs(1),
    )
  }

  async #settleAll(): Promise<void> {
    const everybody = [...new Set((await this.chain.eventsOf('StakeIncreased')).map(({ args }) => args.validator))]
    const senders = [9, 1, 2, 3, 4]
    assert.ok(everybody.length <= senders.length)
    const receipts = await Promise.all(
      everybody.map((validator, index) =>
        this.chain.send(this.account(senders[index] as number).privateKey, { name: 'settle', validator }),
      ),
    )
    this.end = Math.max(...receipts.map(({ blockNumber }) => Number(blockNumber)))
  }
}

export async function startValidatorScenario(portOffset: number, followerPort: number): Promise<ValidatorScenario> {
  const devnet = await startDevnet(newDevnetFolder(), portOffset, [
    ...['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '1'],
    ...['--staking.day-blocks', `${PERIODS.day}`, '--staking.evidence-blocks', `${PERIODS.evidence}`],
    ...['--staking.unbonding-blocks', `${PERIODS.unbonding}`],
    ...withServices(),
  ])
  const { accounts, l2, validator } = devnet.facts
  const made = NAMES.map(async (name, index) => {
    const ownerKey = (accounts[1 + index] as Account).privateKey
    const feeKey = (accounts[5 + index] as Account).privateKey
    return [name, await createValidatorOperator(join(devnet.folder, 'operators', name), validator, { ownerKey, feeKey })] as const
  })
  const validators = Object.fromEntries(
    await Promise.all(made).catch(async (error: unknown) => {
      await devnet.remove()
      throw error
    }),
  ) as Record<Name, ValidatorOperator>
  return new ValidatorScenario(devnet, createStakingReader(l2.rpcUrl, l2.chainId), validators, followerPort)
}
