/** `keelson network create`: its printed steps start the network. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeUint, OUTPUT_ORACLE_CALLS, STAKING_WORDS } from '@keelson/contracts'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { DEV_ACCOUNTS } from '../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { anvilBinary } from '../../packages/devnet/src/l1/anvil.ts'
import type { Step } from '../../packages/node/src/make-network/next-steps.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { endAllKeelson, type KeelsonProcess, runKeelson, startKeelson } from '../support/keelson-process.ts'
import { createValidatorOperator } from '../support/validator-process.ts'

const L1_CHAIN_ID = 31_500
const L2_CHAIN_ID = 77_001
const COIN = 10n ** 18n
const { spare } = await claimE2ePorts()

interface Created {
  readonly l2GenesisHash: string
  readonly l1Start: { readonly number: number; readonly hash: string }
  readonly addresses: Readonly<Record<string, string>>
  readonly roles: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

interface NodePorts {
  readonly http: number
  readonly ws: number
  readonly engine: number
  readonly executionMetrics: number
  readonly rollup: number
  readonly consensusMetrics: number
}

describe('a network created on an existing L1', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-network-'))
  const [network, keys] = [join(folder, 'network'), join(folder, 'keys')]
  const [l1Url, beaconUrl] = [`http://127.0.0.1:${spare}`, `http://127.0.0.1:${spare + 1}`]
  const nodePorts = (first: number): NodePorts => ({
    http: first,
    ws: first + 1,
    engine: first + 2,
    executionMetrics: first + 3,
    rollup: first + 4,
    consensusMetrics: first + 5,
  })
  const [sequencer, follower] = [nodePorts(spare + 2), nodePorts(spare + 8)]
  const own = { batcher: spare + 14, proposer: spare + 16 }
  const [deployerKey, ownerKey] = [generatePrivateKey(), generatePrivateKey()]
  const processes = new Map<string, KeelsonProcess>()
  let anvil: ChildProcess
  let created: Created

  const give = (address: string, coins: bigint) => rpcCall(l1Url, 'anvil_setBalance', [address, `0x${(coins * COIN).toString(16)}`])
  const create = (args: readonly string[]) =>
    runKeelson(['network', 'create', '--l1.rpc', l1Url, '--l1.fork', 'prague', '--json', ...args], {
      env: { KEELSON_PRIVATE_KEY: deployerKey },
    })

  const deployStaking = (l2Url: string, key: string) =>
    runKeelson(['validator', 'deploy', '--preset', 'main', '--l2.rpc', l2Url, '--json'], { env: { KEELSON_PRIVATE_KEY: key } })

  function start(name: string, cwd: string, ports: NodePorts, more: readonly string[]): void {
    const step = created.steps.find((known) => known.name === name)
    assert.ok(step, name)
    const filled = step.args.map((word) =>
      word
        .replace('$L1_RPC', l1Url)
        .replace('$L1_BEACON', beaconUrl)
        .replace(':8545', `:${ports.http}`)
        .replace(':8551', `:${ports.engine}`)
        .replace(':9545', `:${ports.rollup}`),
    )
    processes.set(name, startKeelson([...filled, ...more], { cwd, env: step.env }))
  }

  function startNode(prefix: '' | 'follower-', ports: NodePorts): Promise<boolean> {
    const cwd = join(folder, `${prefix}node`)
    mkdirSync(cwd)
    const execution = [
      '--http.port',
      ports.http,
      '--ws.port',
      ports.ws,
      '--engine.port',
      ports.engine,
      '--metrics.port',
      ports.executionMetrics,
    ]
    start(`${prefix}execution`, cwd, ports, execution.map(String))
    return eventually("the execution client's secret", async () => existsSync(join(cwd, 'data', 'jwt.hex'))).then(() => {
      const consensus = [
        '--engine.url',
        `http://127.0.0.1:${ports.engine}`,
        '--rpc.port',
        ports.rollup,
        '--metrics.port',
        ports.consensusMetrics,
      ]
      start(`${prefix}consensus`, cwd, ports, [...consensus.map(String), '--no-p2p.enabled'])
      return true
    })
  }

  before(async () => {
    const args = ['--port', String(spare), '--chain-id', String(L1_CHAIN_ID), '--hardfork', 'prague', '--accounts', '0', '--quiet']
    anvil = spawn(anvilBinary(), [...args, '--block-time', '1', '--slots-in-an-epoch', '1'], { stdio: 'ignore' })
    await eventually('anvil answers', () => rpcCall(l1Url, 'eth_chainId'))
    await give(privateKeyToAccount(deployerKey).address, 100n)
  })
  after(async () => {
    await endAllKeelson()
    const gone = new Promise((resolve) => anvil.once('exit', resolve))
    anvil.kill('SIGKILL')
    await gone
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return
    for (const [name, { output }] of processes) console.error(`--- ${name}\n${output().slice(-3_000)}`)
  })

  it('has consistent files and contracts, and never replaces another folder', async () => {
    const made = await create([
      ...['--preset', 'test', '--out', network, '--make-keys', keys, '--chain-id', String(L2_CHAIN_ID)],
      ...['--l1.start-block', 'latest', '--set', 'submissionIntervalBlocks=5'],
    ])
    assert.equal(made.code, 0, made.stderr)
    created = JSON.parse(made.stdout) as Created
    const again = await create([
      '--preset',
      'test',
      '--out',
      network,
      '--make-keys',
      join(folder, 'other'),
      '--chain-id',
      String(L2_CHAIN_ID),
    ])
    assert.equal(again.code, 1)
    assert.match(again.stderr, /network is not empty and is not written over; name a new folder/)
    const copy = join(folder, 'copy')
    const remade = await runKeelson(['network', 'create', '--from', join(network, 'network.json'), '--out', copy, '--json'])
    assert.equal((JSON.parse(remade.stdout) as Created).l2GenesisHash, created.l2GenesisHash)
    for (const name of ['genesis.json', 'rollup.json', 'addresses.json', 'l1-chain.json', 'keelson.json', 'network.json'])
      assert.ok(readFileSync(join(copy, name)).equals(readFileSync(join(network, name))), name)
  })

  it('starts by the printed steps, is derived by a second node, and accepts a stake of 1,000 but not less', async () => {
    await Promise.all([
      give(created.roles.batcher as string, 100n),
      give(created.roles.proposer as string, 100n),
      give(privateKeyToAccount(ownerKey).address, 2_000n),
    ])
    processes.set('beacon', startKeelson(['beacon', '--l1.rpc', l1Url, '--port', String(spare + 1), '--data-dir', join(folder, 'beacon')]))
    await eventually('a response of the beacon API', async () => (await fetch(`${beaconUrl}/eth/v1/beacon/genesis`)).ok)
    await startNode('', sequencer)
    const [l2Url, cwd] = [`http://127.0.0.1:${sequencer.http}`, join(folder, 'node')]
    await eventually('the first block', async () => Number(await rpcCall<string>(l2Url, 'eth_blockNumber')) > 0)
    assert.equal((await rpcCall<{ hash: string }>(l2Url, 'eth_getBlockByNumber', ['0x0', false])).hash, created.l2GenesisHash)
    const admin = (port: number) => ['--metrics.port', String(port), '--admin.port', String(port + 1)]
    start('batcher', cwd, sequencer, [...admin(own.batcher), '--data-availability', 'calldata', '--max-channel-duration', '1'])

    const ownerAddress = privateKeyToAccount(ownerKey).address
    const onL2 = ['--network', network, '--l1.rpc', l1Url, '--l2.rpc', l2Url]
    const deposit = await runKeelson(['bridge', 'deposit', ...onL2, '--amount', '1001', '--no-wait'], {
      env: { KEELSON_PRIVATE_KEY: ownerKey },
    })
    assert.equal(deposit.code, 0, deposit.stderr)
    const balance = async () => BigInt(await rpcCall<string>(l2Url, 'eth_getBalance', [ownerAddress, 'latest']))
    await eventually('the deposit', async () => (await balance()) === 1_001n * COIN)

    const node = { rpcUrl: l2Url, rollupRpcUrl: `http://127.0.0.1:${sequencer.rollup}` }
    const validator = await createValidatorOperator(join(folder, 'validator'), node, { ownerKey, feeKey: ownerKey })
    await assert.rejects(validator.asOwner('register', '--amount', '999.9'), /1000|minimum/)
    const registered = await validator.asOwner('register', '--amount', '1000')
    assert.equal(registered.stakeWei, String(1_000n * COIN))
    assert.equal(registered.activeNextEpoch, true)

    const deployed = await deployStaking(l2Url, ownerKey)
    assert.equal(deployed.code, 0, deployed.stderr)
    const { staking } = JSON.parse(deployed.stdout) as { staking: string }
    const least = await rpcCall<`0x${string}`>(l2Url, 'eth_call', [{ to: staking, data: bytesToHex(STAKING_WORDS.minimumStake) }, 'latest'])
    assert.equal(decodeUint(hexToBytes(least)), 10_000n * COIN)
    const published = await deployStaking(l2Url, DEV_ACCOUNTS[0]?.privateKey as string)
    assert.match(published.stderr, /uses a published key of the development network; expected your own account; nothing was sent/)

    start('proposer', cwd, sequencer, admin(own.proposer))
    await startNode('follower-', follower)

    const number = `0x${Number(registered.blockNumber).toString(16)}`
    const hashAt = async (url: string) => (await rpcCall<{ hash: string } | null>(url, 'eth_getBlockByNumber', [number, false]))?.hash
    const derived = await eventually('the block on the second node', () => hashAt(`http://127.0.0.1:${follower.http}`))
    assert.equal(derived, await hashAt(l2Url))
    await eventually('a proposal', async () => {
      const call = { to: created.addresses.L2OutputOracle, data: bytesToHex(OUTPUT_ORACLE_CALLS.latestBlockNumber) }
      return decodeUint(hexToBytes(await rpcCall<`0x${string}`>(l1Url, 'eth_call', [call, 'latest']))) >= 5n
    })
  })
})
