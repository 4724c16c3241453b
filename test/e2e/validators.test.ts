import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type Address, formatEther, type Hex, parseEther } from 'viem'
import { syncStatus } from '../support/chain-reading.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { type FollowerProcess, startFollower } from '../support/follower-process.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { endAllKeelson, type Finished, type KeelsonProcess, runKeelson } from '../support/keelson-process.ts'
import type { Attestation } from '../support/staking-contract.ts'
import { createStakingReader, OFFENCES, STAKING_ADDRESS, type StakingReader, signedAttestationJson } from '../support/staking-reader.ts'
import { createValidatorOperator, type ValidatorOperator } from '../support/validator-process.ts'

const { offset: PORT_OFFSET, spare: FOLLOWER_PORT } = await claimE2ePorts()
const METRICS_PORT = FOLLOWER_PORT + 10
const EPOCH = 15
/**
 * Epochs from the offence to its report: two are too few on a busy machine, and one more would add a day of silence to
 * the double signer.
 */
const REPORTED_IN_EPOCHS = 3
const PERIODS = { day: 30, evidence: REPORTED_IN_EPOCHS * EPOCH, unbonding: (REPORTED_IN_EPOCHS + 2) * EPOCH + 1 }
const SILENT_DAYS = 2
const REWARD_PER_BLOCK_WEI = parseEther('2')
const BLOCK_MS = 2_000
const LOG_LINES = 20
const epochMs = (epochs: number) => epochs * EPOCH * BLOCK_MS

/** Odd, so that every division rounds. */
const STAKES = {
  honest: parseEther('4000.000000000000000007'),
  wrong: parseEther('3000.000000000000000011'),
  offline: parseEther('2000.000000000000000013'),
  double: parseEther('1000.000000000000000017'),
} as const
type Name = keyof typeof STAKES
const NAMES = Object.keys(STAKES) as readonly Name[]

const lastLines = (process: KeelsonProcess | undefined) => process?.output().trimEnd().split('\n').slice(-LOG_LINES).join('\n')

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)

/** 1 part in 1000 of the remaining stake for each day. */
function downtimeWei(stakeWei: bigint, days: number): bigint {
  let left = stakeWei
  for (let day = 0; day < days; day++) left -= left / 1000n
  return stakeWei - left
}

/** 1 part in 100 of the weight, plus 9 times the share of the active stake that erred. */
function invalidWei(weightWei: bigint, erredWei: bigint, totalWei: bigint): bigint {
  return (weightWei * (totalWei + 9n * erredWei)) / (100n * totalWei)
}

describe('the validators of a network', () => {
  let devnet: DevnetProcess
  let follower: FollowerProcess | undefined
  let chain: StakingReader
  let validators: Readonly<Record<Name, ValidatorOperator>>
  const processes: Partial<Record<Name, KeelsonProcess>> = {}
  const names = new Map<string, string>()
  const nameOf = (address: Address) => names.get(address.toLowerCase()) ?? address
  let erred: number
  let end: number
  let doubleEnded: Finished

  const slot = (epoch: number) => epoch * EPOCH
  const account = (index: number) => devnet.facts.accounts[index] as DevnetProcess['facts']['accounts'][number]

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, [
      ...['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '1'],
      ...['--staking.day-blocks', `${PERIODS.day}`, '--staking.evidence-blocks', `${PERIODS.evidence}`],
      ...['--staking.unbonding-blocks', `${PERIODS.unbonding}`],
    ])
    chain = createStakingReader(devnet.facts.l2.rpcUrl, devnet.facts.l2.chainId)
    const made = NAMES.map(async (name, index) => {
      const operator = await createValidatorOperator(join(devnet.folder, 'operators', name), devnet.facts.validator, {
        ownerKey: account(1 + index).privateKey,
        feeKey: account(5 + index).privateKey,
      })
      names.set(operator.address.toLowerCase(), name)
      return [name, operator] as const
    })
    validators = Object.fromEntries(await Promise.all(made)) as Record<Name, ValidatorOperator>
    await begin()
    await err()
    await Promise.all([beReported(), attestOn()])
    await settleAll()
  })
  after(async () => {
    await endAllKeelson()
    await follower?.remove()
    await devnet?.remove()
  })

  async function reachBlock(number: number, limitMs: number): Promise<void> {
    await eventually(`block ${number}`, async () => (await chain.head()) >= number, limitMs)
  }

  async function begin(): Promise<void> {
    for (const [index, name] of (['honest', 'offline', 'double'] as const).entries()) {
      processes[name] = validators[name].run(METRICS_PORT + index)
    }
    const partWei = parseEther('500.5')
    await Promise.all(
      NAMES.map(async (name) => {
        const firstWei = name === 'honest' ? STAKES[name] - partWei : STAKES[name]
        const registered = await validators[name].asOwner('register', '--amount', formatEther(firstWei))
        assert.equal(registered.stakeWei, firstWei.toString())
        if (name !== 'honest') return
        const staked = await validators[name].asOwner('stake', '--amount', formatEther(partWei))
        assert.equal(staked.stakeWei, STAKES[name].toString())
      }),
    )
    const registeredIn = Math.floor((await chain.head()) / EPOCH)
    const first = await Promise.all(
      Object.values(processes).map((process) =>
        eventually('the start epoch in the log of a process', async () =>
          Number(/"firstEpoch":(\d+)/.exec((process as KeelsonProcess).output())?.[1] ?? 0),
        ),
      ),
    )
    await eventually('finalized blocks', async () => {
      const { finalized_l2 } = await syncStatus(devnet.facts.validator.rollupRpcUrl)
      return finalized_l2.number > 1
    })
    // One epoch of silence, that of the offence, costs nothing.
    const attestedIn = await attestOnce('wrong', Math.max(registeredIn + 1, Math.floor((await chain.head()) / EPOCH)))
    erred = Math.max(attestedIn + 1, ...first)
    for (let epoch = attestedIn + 1; epoch < erred; epoch++) await attestFor('wrong', epoch)
  }

  async function attestOnce(name: Name, epoch: number): Promise<number> {
    try {
      await attestFor(name, epoch)
      return epoch
    } catch (error) {
      if ((await chain.head()) < slot(epoch + 1) - 2) throw error
      await attestFor(name, epoch + 1)
      return epoch + 1
    }
  }

  async function checkpoint(epoch: number, below = slot(epoch)): Promise<Attestation> {
    const { rollupRpcUrl } = devnet.facts.validator
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

  async function attestFor(name: Name, epoch: number): Promise<void> {
    await reachBlock(slot(epoch), epochMs(2))
    const signed = await chain.sign(validators[name].key, await checkpoint(epoch))
    const { blockNumber } = await chain.send(account(9).privateKey, { name: 'attest', signed })
    assert.ok(Number(blockNumber) < slot(epoch + 1))
  }

  async function err(): Promise<void> {
    const attesting = (['honest', 'offline', 'double'] as const).map((name) => validators[name].address.toLowerCase())
    const attested = await eventually(
      'the attestations of three validators',
      async () => {
        const found = (await chain.eventsOf('Attested')).filter(({ args }) => Number(args.epoch) === erred)
        const checkpoints = new Map(found.map(({ args }) => [args.validator.toLowerCase(), Number(args.checkpointNumber)]))
        return attesting.every((address) => checkpoints.has(address)) && checkpoints
      },
      epochMs(3),
    )
    await processes.offline?.kill()
    const publish = async (url: string, key: Hex, attestation: Attestation) => {
      const answer = await rpcCall(url, 'rollup_publishAttestation', [signedAttestationJson(await chain.sign(key, attestation))])
      assert.equal(answer, 'accepted')
    }
    const other = devnet.facts.l2.rollupRpcUrl
    await publish(other, validators.double.key, await checkpoint(erred, attested.get(validators.double.address)))
    await publish(other, validators.wrong.key, { ...(await checkpoint(erred)), checkpointHash: `0x${'bad0'.repeat(16)}` })
  }

  async function beReported(): Promise<void> {
    await eventually(
      'both offences on chain',
      async () => {
        const found = await chain.logs()
        const missing = ['SlashedOut', 'InvalidAttestationReported'].filter((name) => !found.some(({ eventName }) => eventName === name))
        assert.deepEqual(missing, [], `missing in block ${await chain.head()}, offences in epoch ${erred}\n${lastLines(processes.honest)}`)
        return true
      },
      epochMs(REPORTED_IN_EPOCHS),
    )
    doubleEnded = await (processes.double as KeelsonProcess).finished
  }

  async function attestOn(): Promise<void> {
    const last = erred + (SILENT_DAYS * PERIODS.day) / EPOCH
    for (let epoch = erred + 1; epoch <= last; epoch++) {
      await attestFor('wrong', epoch)
      if (epoch === last) follower = startFollower(devnet, FOLLOWER_PORT)
    }
    await reachBlock(slot(last + 1), epochMs(2))
    await eventually(
      'the final penalty of the invalid attestation',
      async () => (await chain.eventsOf('InvalidAttestationClosed')).length,
      epochMs(1),
    )
  }

  async function settleAll(): Promise<void> {
    const everybody = [...new Set((await chain.eventsOf('StakeIncreased')).map(({ args }) => args.validator))]
    const senders = [9, 1, 2, 3, 4]
    assert.ok(everybody.length <= senders.length)
    const receipts = await Promise.all(
      everybody.map((validator, index) => chain.send(account(senders[index] as number).privateKey, { name: 'settle', validator })),
    )
    end = Math.max(...receipts.map(({ blockNumber }) => Number(blockNumber)))
  }

  const view = (name: 'accounts' | 'rewardsReleased' | 'rewardsMissed') =>
    chain.view({ ...chain.contract, functionName: name, blockNumber: BigInt(end) })

  it('lose exactly the scheduled stake for their own offences and nothing for those of others', async () => {
    const totalWei = await chain.view({ ...chain.contract, functionName: 'totalWeightAt', args: [BigInt(erred)] })
    const others = (await chain.eventsOf('StakeIncreased', end)).filter(({ args }) => !names.has(args.validator.toLowerCase()))
    assert.equal(totalWei, sum([...Object.values(STAKES), ...others.map(({ args }) => args.amount)]))
    const prices = {
      double: STAKES.double,
      wrong: invalidWei(STAKES.wrong, STAKES.wrong, totalWei),
      offline: downtimeWei(STAKES.offline, SILENT_DAYS),
      honest: 0n,
    }
    const lost = (await chain.eventsOf('Slashed', end)).map(({ args }) => ({
      validator: nameOf(args.validator),
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
    const watchers = [account(5).address]
    const own = (await chain.eventsOf('StakeIncreased', end)).filter(({ args }) => !names.has(args.validator.toLowerCase()))
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
    assert.ok(doubleEnded.code === 3 || doubleEnded.code === 4, `code ${doubleEnded.code}`)
    assert.match(doubleEnded.stderr, doubleEnded.code === 3 ? /another machine signs with key/ : /was slashed/)
    assert.ok(doubleEnded.stderr.includes(validators.double.address))
    for (let start = 0; start < 2; start++) {
      const again = await validators.double.run(METRICS_PORT + 2).finished
      assert.equal(again.code, 4, again.stdout + again.stderr)
      assert.match(again.stderr, /all keys of this process stand still: validator .* was slashed/)
    }
    const shown = await runKeelson(['validator', 'protection', 'show', '--data-dir', validators.double.dataDir, '--json'])
    assert.equal((JSON.parse(shown.stdout) as { stop: { key: string } | null }).stop?.key, validators.double.address)
    const attested = (await chain.eventsOf('Attested')).filter(({ args }) => args.validator.toLowerCase() === validators.double.address)
    assert.equal(Math.max(...attested.map(({ args }) => Number(args.epoch))), erred)
  })

  it('attest in every epoch in time when they are honest', async () => {
    const attested = (await chain.eventsOf('Attested', end)).filter(
      ({ args }) => args.validator.toLowerCase() === validators.honest.address,
    )
    const last = Math.floor(end / EPOCH) - 1
    for (let epoch = erred; epoch <= last; epoch++) {
      const own = attested.filter(({ args }) => Number(args.epoch) === epoch)
      assert.equal(own.length, 1, `epoch ${epoch}`)
      assert.ok(Number(own[0]?.args.lateBlocks) <= 10, `epoch ${epoch}: ${own[0]?.args.lateBlocks} blocks late`)
    }
    const { code, stdout, stderr } = await (processes.honest as KeelsonProcess).stop()
    assert.equal(code, 0, stdout + stderr)
  })

  it('share two tokens per block of an epoch by stake, and the rounding remainder returns to the pool', async () => {
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
    const node = follower as FollowerProcess
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
