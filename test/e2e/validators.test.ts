import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type Hex, parseEther } from 'viem'
import { syncStatus } from '../support/chain-reading.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import type { FollowerProcess } from '../support/follower-process.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { endAllKeelson, type Finished, type KeelsonProcess, runKeelson } from '../support/keelson-process.ts'
import { OFFENCES, STAKING_ADDRESS } from '../support/staking-reader.ts'
import {
  EPOCH,
  NAMES,
  PERIODS,
  SILENT_DAYS,
  STAKES,
  startValidatorScenario,
  type ValidatorScenario,
} from '../support/validator-scenario.ts'

const { offset: PORT_OFFSET, spare: FOLLOWER_PORT } = await claimE2ePorts()
const REWARD_PER_BLOCK_WEI = parseEther('2')

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)

/** A thousandth of the remaining stake is charged per day. */
function downtimeWei(stakeWei: bigint, days: number): bigint {
  let left = stakeWei
  for (let day = 0; day < days; day++) left -= left / 1000n
  return stakeWei - left
}

/** 1% of the weight, plus 9% times the share of the active stake that erred. */
function invalidWei(weightWei: bigint, erredWei: bigint, totalWei: bigint): bigint {
  return (weightWei * (totalWei + 9n * erredWei)) / (100n * totalWei)
}

describe('the validators of a network', () => {
  let scenario: ValidatorScenario

  before(async () => {
    scenario = await startValidatorScenario(PORT_OFFSET, FOLLOWER_PORT)
    await scenario.run()
  })
  after(async () => {
    await endAllKeelson()
    await scenario?.follower?.remove()
    await scenario?.devnet.remove()
  })

  const view = (name: 'accounts' | 'rewardsReleased' | 'rewardsMissed') =>
    scenario.chain.view({ ...scenario.chain.contract, functionName: name, blockNumber: BigInt(scenario.end) })

  it('lose exactly the scheduled stake for their own offences and nothing for those of others', async () => {
    const { chain, end, erred, validators } = scenario
    const totalWei = await chain.view({ ...chain.contract, functionName: 'totalWeightAt', args: [BigInt(erred)] })
    const others = (await chain.eventsOf('StakeIncreased', end)).filter(({ args }) => !scenario.isOurs(args.validator))
    assert.equal(totalWei, sum([...Object.values(STAKES), ...others.map(({ args }) => args.amount)]))
    const prices = {
      double: STAKES.double,
      wrong: invalidWei(STAKES.wrong, STAKES.wrong, totalWei),
      offline: downtimeWei(STAKES.offline, SILENT_DAYS),
      honest: 0n,
    }
    const lost = (await chain.eventsOf('Slashed', end)).map(({ args }) => ({
      validator: scenario.nameOf(args.validator),
      offence: OFFENCES[args.offence],
      epoch: Number(args.epoch),
      amount: args.amount,
    }))
    const found = Math.floor(end / EPOCH)
    assert.deepEqual(
      lost.sort((a, b) => a.validator.localeCompare(b.validator)),
      [
        { validator: 'double', offence: 'double attestation', epoch: erred, amount: prices.double },
        { validator: 'offline', offence: 'downtime', epoch: found, amount: prices.offline },
        { validator: 'wrong', offence: 'invalid attestation', epoch: erred, amount: prices.wrong },
      ],
    )
    for (const name of NAMES) {
      const { stake, unbonding, slashed, openOffences } = await chain.validator(validators[name].address, end)
      assert.deepEqual(
        { name, stake, unbonding, slashed, openOffences },
        { name, stake: STAKES[name] - prices[name], unbonding: 0n, slashed: name === 'double', openOffences: 0 },
      )
    }
    const [closed, ...more] = await chain.eventsOf('InvalidAttestationClosed', end)
    assert.deepEqual([closed?.args, more], [{ validator: closed?.args.validator, epoch: BigInt(erred), charged: prices.wrong }, []])
  })

  it('are reported by watchers that saw the offence in gossip, not by the offender', async () => {
    const { chain, end } = scenario
    const watchers = [scenario.account(5).address]
    const own = (await chain.eventsOf('StakeIncreased', end)).filter(({ args }) => !scenario.isOurs(args.validator))
    for (const { args } of own) watchers.push((await chain.validator(args.validator, end)).owner)
    const reports = (await chain.logs(end)).filter(({ eventName }) =>
      ['SlashedOut', 'InvalidAttestationReported', 'InvalidAttestationClosed'].includes(eventName),
    )
    assert.equal(reports.length, 3)
    for (const { transactionHash, eventName } of reports) {
      const { from } = await chain.client.getTransaction({ hash: transactionHash })
      assert.ok(watchers.map((address) => address.toLowerCase()).includes(from.toLowerCase()), `${eventName} by ${from}`)
    }
  })

  it('stop permanently when their key signs elsewhere', async () => {
    const { chain, erred, validators } = scenario
    const doubleEnded = scenario.doubleEnded as Finished
    assert.ok(doubleEnded.code === 3 || doubleEnded.code === 4, `code ${doubleEnded.code}`)
    assert.match(doubleEnded.stderr, doubleEnded.code === 3 ? /another machine signs with key/ : /was slashed/)
    assert.ok(doubleEnded.stderr.includes(validators.double.address))
    for (let start = 0; start < 2; start++) {
      const again = await validators.double.run(scenario.metricsPort + 2).finished
      assert.equal(again.code, 4, again.stdout + again.stderr)
      assert.match(again.stderr, /no key of this process signs: validator .* was slashed/)
    }
    const shown = await runKeelson(['validator', 'protection', 'show', '--data-dir', validators.double.dataDir, '--json'])
    assert.equal((JSON.parse(shown.stdout) as { stop: { key: string } | null }).stop?.key, validators.double.address)
    const attested = (await chain.eventsOf('Attested')).filter(({ args }) => args.validator.toLowerCase() === validators.double.address)
    assert.equal(Math.max(...attested.map(({ args }) => Number(args.epoch))), erred)
  })

  it('attest in every epoch in time when they are honest', async () => {
    const { chain, end, erred, validators } = scenario
    const attested = (await chain.eventsOf('Attested', end)).filter(
      ({ args }) => args.validator.toLowerCase() === validators.honest.address,
    )
    const last = Math.floor(end / EPOCH) - 1
    for (let epoch = erred; epoch <= last; epoch++) {
      const own = attested.filter(({ args }) => Number(args.epoch) === epoch)
      assert.equal(own.length, 1, `epoch ${epoch}`)
      assert.ok(Number(own[0]?.args.lateBlocks) <= 10, `epoch ${epoch}: ${own[0]?.args.lateBlocks} blocks late`)
    }
    const { code, stdout, stderr } = await (scenario.processes.honest as KeelsonProcess).stop()
    assert.equal(code, 0, stdout + stderr)
  })

  it('share two tokens per block of an epoch by stake, and the rounding remainder returns to the pool', async () => {
    const { chain, end } = scenario
    const logs = await chain.logs(end)
    const of = <N extends (typeof logs)[number]['eventName']>(name: N, epoch: bigint) =>
      logs.filter(
        (log): log is Extract<(typeof logs)[number], { eventName: N }> =>
          log.eventName === name && 'epoch' in log.args && log.args.epoch === epoch,
      )
    const closed = (await chain.eventsOf('EpochClosed', end)).map(({ args }) => args)
    const attestedIn = [...new Set((await chain.eventsOf('Attested', end)).map(({ args }) => args.epoch))]
    const over = attestedIn.filter((epoch) => epoch < BigInt(Math.floor(end / EPOCH)))
    assert.deepEqual(
      closed.map(({ epoch }) => epoch),
      over,
    )
    assert.ok(over.length > (SILENT_DAYS * PERIODS.day) / EPOCH)
    let released = 0n
    for (const { epoch, reward, attestedWeight, attesters } of closed) {
      assert.equal(reward, REWARD_PER_BLOCK_WEI * BigInt(EPOCH))
      const attestations = of('Attested', epoch).map(({ args }) => args)
      assert.deepEqual([attestedWeight, attesters], [sum(attestations.map(({ weight }) => weight)), BigInt(attestations.length)])
      const credited = of('RewardCredited', epoch).map(({ args }) => args)
      const expected = new Map(attestations.map(({ validator, weight }) => [validator, (reward * weight) / attestedWeight]))
      assert.deepEqual(new Map(credited.map(({ validator, amount }) => [validator, amount])), expected)
      const returned = sum(of('RoundingReturned', epoch).map(({ args }) => args.amount))
      assert.equal(sum(credited.map(({ amount }) => amount)) + returned, reward)
      released += reward - returned
    }
    const forfeited = sum((await chain.eventsOf('RewardsForfeited', end)).map(({ args }) => args.amount))
    assert.deepEqual([await view('rewardsReleased'), await view('rewardsMissed')], [released - forfeited, 0n])
  })

  it('have all their wei in the accounts of the contract, which sum to its balance', async () => {
    const { chain, end } = scenario
    const logs = await chain.logs(end)
    const total = (name: string, field: string) =>
      sum(
        logs.filter(({ eventName }) => eventName === name).map(({ args }) => (args as unknown as Record<string, bigint>)[field] as bigint),
      )
    const slashedWei = total('Slashed', 'amount')
    const creditedWei = total('RewardCredited', 'amount') - total('RewardsForfeited', 'amount')
    const accounts = (await view('accounts')) as readonly bigint[]
    const genesisPoolWei = parseEther('10000000')
    assert.deepEqual(accounts, [total('StakeIncreased', 'amount') - slashedWei, 0n, creditedWei, genesisPoolWei - creditedWei, slashedWei])
    assert.equal(await chain.client.getBalance({ address: STAKING_ADDRESS, blockNumber: BigInt(end) }), sum(accounts))
  })

  it('have the same state on a node that reads only L1, where the supply is that of genesis and deposits', async () => {
    const { devnet, end } = scenario
    const node = scenario.follower as FollowerProcess
    for (const url of [devnet.facts.validator.rollupRpcUrl, node.rollupRpcUrl]) {
      await eventually(`safe block ${end}`, () =>
        syncStatus(url).then(
          ({ safe_l2 }) => safe_l2.number >= end,
          () => false,
        ),
      )
    }
    type Proof = { readonly balance: Hex; readonly storageHash: Hex; readonly codeHash: Hex; readonly nonce: Hex }
    const [ours, theirs] = await Promise.all(
      [devnet.facts.l2.rpcUrl, node.rpcUrl].map(async (url) => {
        const block = `0x${end.toString(16)}`
        const { balance, storageHash, codeHash, nonce } = await rpcCall<Proof>(url, 'eth_getProof', [STAKING_ADDRESS, [], block])
        const { hash } = await rpcCall<{ readonly hash: Hex }>(url, 'eth_getBlockByNumber', [block, false])
        return { hash, balance, storageHash, codeHash, nonce }
      }),
    )
    assert.deepEqual(theirs, ours)
    const supply = await runKeelson([
      'db',
      'supply',
      '--data-dir',
      node.executionDir,
      '--network',
      join(devnet.folder, 'network'),
      '--json',
    ])
    assert.equal(supply.code, 0, supply.stdout + supply.stderr)
    const { ok, differenceWei, unexplained } = JSON.parse(supply.stdout) as { ok: boolean; differenceWei: string; unexplained: unknown[] }
    assert.deepEqual({ ok, differenceWei, unexplained }, { ok: true, differenceWei: '0', unexplained: [] })
  })
})
