import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ATTEST_GAS, EPOCH_TURN_GAS } from '@keelson/contracts'
import { CONTRACT_CHAINS, type ContractChain, type Outcome } from '../support/contract-chain.ts'
import { deployStaking, NUMBER_HASHES, type StakingWorld, stakingAbi, validatorKey } from '../support/staking-contract.ts'

const [OWNER, STRANGER] = [1, 3] as const
const SEATS = 100
const VALIDATORS = 300
const MINIMUM = 10_000n
const EPOCH_BLOCKS = 160
const KEYS = Array.from({ length: VALIDATORS }, (_, index) => validatorKey(index + 1))
const LIE = `0x${'66'.repeat(32)}` as const
const README = join(import.meta.dirname, '../../packages/contracts/README.md')
/** Rows of the table: | `name` | gas |, or | `name` that ejects | gas | */
const ROW = /^\| `(\w+)`( that ejects)?[^|]*\| ([\d,]+) \|$/gm

describe(`the contract Staking with ${SEATS} active and ${VALIDATORS - SEATS} waiting validators`, () => {
  let chain: ContractChain
  let world: StakingWorld
  const highest: Record<string, bigint> = {}
  before(async () => {
    chain = await (CONTRACT_CHAINS[0] as (typeof CONTRACT_CHAINS)[0]).open([NUMBER_HASHES])
    const periods = { epochBlocks: BigInt(EPOCH_BLOCKS), graceBlocks: 110n, hourBlocks: 320n, dayBlocks: 320n }
    world = await deployStaking(chain, {
      ...periods,
      maxDowntimeDays: 2n,
      evidenceBlocks: 480n,
      unbondingBlocks: 801n,
      seats: BigInt(SEATS),
    })
    await world.send(STRANGER, 'fund', [], 10n ** 9n)
  })
  after(() => chain.stop())

  function noted(name: string, outcome: Outcome): void {
    assert.equal(outcome.reverted, null, name)
    if (outcome.gasUsed > (highest[name] ?? 0n)) highest[name] = outcome.gasUsed
  }
  const key = (index: number) => KEYS[index] as (typeof KEYS)[0]
  const send = async (name: string, index: number, args: readonly unknown[] = [], valueWei = 0n) =>
    noted(name, await world.send(OWNER, name, [key(index).address, ...args], valueWei))
  const limited = (name: string, args: readonly unknown[], gas: bigint) =>
    chain.send({ from: STRANGER, to: world.address, abi: stakingAbi, name, args, gas })
  async function attestAll(from: number, to: number): Promise<void> {
    const epoch = world.epoch()
    for (let index = from; index < to; index++) noted('attest', await world.attest(await world.sign(key(index), epoch)))
  }

  it('uses at most the documented gas, and our gas limits suffice for a validator that returns after a long silence', async () => {
    // Each has more stake than any before, so it displaces another validator.
    for (let index = 0; index < VALIDATORS; index++)
      noted('register', await world.register(OWNER, key(index), 2n * MINIMUM + BigInt(index)))
    await world.approachEpoch(world.epoch() + 1)
    await attestAll(200, 300)
    await world.approachEpoch(world.epoch() + 1)
    await attestAll(201, 300)
    for (let index = 0; index < 10; index++) {
      await send('stake', index, [], 10n * MINIMUM)
      await send('unstake', index, [10n * MINIMUM])
      await send('stake', index, [], 20n * MINIMUM)
      await send('exit', index)
    }
    await world.approachEpoch(world.epoch() + 1)
    const epoch = world.epoch()
    await attestAll(250, 300)
    for (let index = 205; index < 235; index++) {
      const { attestation, signature } = await world.sign(key(index), epoch, { checkpointHash: LIE })
      noted('reportInvalidAttestation', await world.send(STRANGER, 'reportInvalidAttestation', [attestation, signature]))
    }
    for (let index = 205; index < 210; index++) await send('claimRewards', index)
    for (let index = 240; index < 250; index++) {
      const [one, two] = [await world.sign(key(index), epoch), await world.sign(key(index), epoch, { l1OriginNumber: 6n })]
      const args = [one.attestation, one.signature, two.attestation, two.signature]
      noted('reportDoubleAttestation', await world.send(STRANGER, 'reportDoubleAttestation', args))
    }
    const silent = KEYS.slice(235, 240).map(({ address }) => address)
    for (let later = 1; later <= 5; later++) {
      const seated = ((await world.read('nextActiveSet')) as readonly string[]).filter((address) => !silent.includes(address as never))
      await world.approachEpoch(epoch + later)
      const attesting = KEYS.filter(({ address }) => seated.includes(address))
      for (const one of attesting.slice(-80)) noted('attest', await world.attest(await world.sign(one, epoch + later)))
    }
    for (let index = 205; index < 215; index++) {
      noted('settleInvalidAttestation', await world.send(STRANGER, 'settleInvalidAttestation', [BigInt(epoch), key(index).address]))
    }
    for (let index = 235; index < 240; index++) {
      if (index === 238) await world.approachEpoch(world.epoch() + 1)
      if (index < 238) noted('settle that ejects', await limited('settle', [key(index).address], EPOCH_TURN_GAS))
      else noted('attest that ejects', await limited('attest', Object.values(await world.sign(key(index), world.epoch())), ATTEST_GAS))
      assert.equal((await world.read('getValidator', [key(index).address])).ejected, true)
      await send('stake', index, [], 30n * MINIMUM)
      await send('rejoin', index)
    }
    await chain.mine(400)
    for (let index = 0; index < 5; index++) await send('withdraw', index)

    const documented = Object.fromEntries(
      [...readFileSync(README, 'utf8').matchAll(ROW)].map(([, name, ejects = '', gas]) => [
        `${name}${ejects}`,
        BigInt((gas as string).replaceAll(',', '')),
      ]),
    )
    const above = Object.entries(highest).filter(([name, gas]) => gas > (documented[name] ?? 0n))
    assert.deepEqual(above, [], 'transactions that use more gas than the README documents')
    assert.deepEqual(Object.keys(documented).sort(), Object.keys(highest).sort())
  })
})
