import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { createPublicClient, http, parseAbi, parseAbiItem } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { runKeelson } from '../support/keelson-process.ts'

const { offset: PORT_OFFSET, spare: METRICS_PORT } = await claimE2ePorts()
const GRACE_BLOCKS = 10n
const EPOCH_REWARD = 30n * 10n ** 18n
const EXIT_DOPPELGANGER = 3
const EPOCH_MS = 30_000
/** A validator killed right after an attestation listens for the rest of two epochs and one whole epoch, and attests late in the next. */
const RETURN_MS = 10 * EPOCH_MS
const ATTESTED = parseAbiItem(
  'event Attested(address indexed validator, uint256 indexed epoch, uint256 checkpointNumber, bytes32 checkpointHash, uint256 weight, uint256 lateBlocks, uint256 l1OriginNumber, bytes32 l1OriginHash, bytes signature)',
)
const STAKING = parseAbi(['function rewardsReleased() view returns (uint256)', 'function rewardsMissed() view returns (uint256)'])

interface Status {
  readonly block: number
  readonly epoch: number
  readonly validators: readonly {
    readonly key: `0x${string}`
    readonly active: boolean
    readonly slashed: boolean
    readonly stakeWei: string
    readonly rewardsWei: string
    readonly rank: number | null
    readonly lastAttestedEpoch: number | null
    readonly silenceCostWei: string
    readonly nextDuty: { readonly epoch: number; readonly slot: number } | null
  }[]
}

describe("the development network's validator", () => {
  let devnet: DevnetProcess
  let duty: string
  let key: `0x${string}`
  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, ['--l1.block-time-sec', '2', ...withServices()])
    duty = join(devnet.facts.validator.dataDir, 'duty')
  })
  after(() => devnet?.remove())

  const client = () => createPublicClient({ transport: http(devnet.facts.l2.rpcUrl) })
  const attested = () => client().getLogs({ address: OWN_CONTRACTS.Staking, event: ATTESTED, fromBlock: 0n, toBlock: 'latest' })
  async function status(): Promise<Status['validators'][number] & Pick<Status, 'epoch'>> {
    const { code, stdout, stderr } = await runKeelson(['validator', 'status', '--devnet', devnet.folder, '--data-dir', duty, '--json'])
    assert.equal(code, 0, stderr)
    const { epoch, validators } = JSON.parse(stdout) as Status
    const [only] = validators
    assert.ok(only !== undefined)
    return { ...only, epoch }
  }
  const lastEpoch = async () => Number((await attested()).at(-1)?.args.epoch ?? 0n)
  const attestedAfter = (epoch: number) =>
    eventually(
      `an attestation after epoch ${epoch}`,
      async () => {
        const last = await lastEpoch()
        assert.ok(last > epoch, `the last is for epoch ${last}`)
        return last
      },
      RETURN_MS,
    )
  const runArguments = (dataDir: string, machineDir: string) => [
    ...['validator', 'run', '--data-dir', dataDir, '--machine-dir', machineDir, '--password-file', join(duty, 'password')],
    ...['--l2.rpc', devnet.facts.validator.rpcUrl, '--rollup.rpc', devnet.facts.validator.rollupRpcUrl],
    ...['--metrics.port', String(METRICS_PORT), '--log.format', 'json'],
  ]
  /** A file that the validator replaces meanwhile ends a copy. */
  const copyDuty = (to: string) =>
    eventually('a copy of the folder', async () => {
      await rm(to, { recursive: true, force: true })
      await cp(duty, to, { recursive: true })
      return true
    })
  const payer = () => ({ env: { KEELSON_PRIVATE_KEY: devnet.facts.accounts[1]?.privateKey as string } })

  it('is registered and staked automatically, and attests in time in consecutive epochs', async () => {
    const first = await attestedAfter(0)
    await attestedAfter(first + 1)
    const logs = await attested()
    const epochs = logs.map(({ args }) => Number(args.epoch))
    assert.deepEqual(
      epochs,
      epochs.map((_, index) => (epochs[0] as number) + index),
    )
    await eventually(
      'attestations in time in two consecutive epochs',
      async () => {
        const all = await attested()
        const inTime = new Set(
          all.filter(({ args }) => (args.lateBlocks as bigint) <= GRACE_BLOCKS).map(({ args }) => args.epoch as bigint),
        )
        assert.ok(
          [...inTime].some((epoch) => inTime.has(epoch + 1n)),
          `late by ${all.map(({ args }) => args.lateBlocks).join()} blocks`,
        )
        return true
      },
      RETURN_MS,
    )
    const { key: itsKey, active, slashed, stakeWei, rank, nextDuty, epoch } = await status()
    key = itsKey
    assert.deepEqual({ active, slashed, stakeWei, rank }, { active: true, slashed: false, stakeWei: (10n ** 21n).toString(), rank: 1 })
    assert.ok(nextDuty !== null && nextDuty.epoch >= epoch)
  })

  it('attests to blocks that are final on every node, and gossip delivers its attestations', async () => {
    const log = (await attested()).at(-1)
    const block = await client().getBlock({ blockNumber: log?.args.checkpointNumber as bigint })
    assert.equal(block.hash, log?.args.checkpointHash)
    const finalized = await client().getBlock({ blockTag: 'finalized' })
    assert.ok(finalized.number >= block.number)
    const seen = (await rpcCall(devnet.facts.l2.rollupRpcUrl, 'rollup_attestations', [Number(log?.args.epoch)])) as readonly {
      validator: string
    }[]
    assert.deepEqual(
      seen.map(({ validator }) => validator),
      [key],
    )
  })

  it('earns two per block, exactly the released amount', async () => {
    const { rewardsWei, lastAttestedEpoch } = await status()
    const read = (functionName: 'rewardsReleased' | 'rewardsMissed') =>
      client().readContract({ address: OWN_CONTRACTS.Staking, abi: STAKING, functionName })
    const [released, missed] = [await read('rewardsReleased'), await read('rewardsMissed')]
    const closed = (await attested()).filter(({ args }) => Number(args.epoch) < (lastAttestedEpoch as number)).length
    assert.ok(closed > 0)
    assert.deepEqual([BigInt(rewardsWei), missed], [BigInt(closed) * EPOCH_REWARD, 0n])
    assert.ok(released >= BigInt(rewardsWei))
  })

  it('rejects a second process on its folder, or on a copy of it on this machine', async () => {
    const same = await runKeelson(runArguments(duty, join(duty, 'machine')), payer())
    assert.equal(same.code, 1)
    assert.match(same.stderr, /(process \d+ \(keelson validator\)|another program) /)
    const copy = join(devnet.folder, 'copy')
    await copyDuty(copy)
    const other = await runKeelson(runArguments(copy, join(duty, 'machine')), payer())
    assert.equal(other.code, 1)
    assert.match(other.stderr, new RegExp(`(process \\d+ \\(keelson validator\\)|another program) of this machine uses key ${key}`))
    await rm(copy, { recursive: true })
  })

  it('never signs on another machine with a copy of its keys, where it hears the first one', async () => {
    const copy = join(devnet.folder, 'elsewhere')
    await copyDuty(copy)
    const { code, stderr } = await runKeelson(runArguments(copy, join(copy, 'machine-of-its-own')), payer())
    assert.equal(code, EXIT_DOPPELGANGER, stderr)
    assert.match(stderr, /another machine signs with key .* Do not restart/)
  })

  it('continues to attest after a kill without signing anything twice', async () => {
    const before = await lastEpoch()
    process.kill(devnet.rolePids().validator as number, 'SIGKILL')
    await attestedAfter(before + 2)
    const epochs = (await attested()).map(({ args }) => args.epoch)
    assert.equal(new Set(epochs).size, epochs.length)
    assert.deepEqual(await rpcCall(devnet.facts.l2.rollupRpcUrl, 'rollup_offences', []), {
      doubleAttestations: [],
      invalidAttestations: [],
      doubleBlocks: [],
    })
    const { slashed, silenceCostWei, stakeWei } = await status()
    assert.deepEqual({ slashed, silenceCostWei, stakeWei }, { slashed: false, silenceCostWei: '0', stakeWei: (10n ** 21n).toString() })
  })

  it('can have another key, held only by a signing service, that its owner registers', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const shown: { primaryType: string; message: unknown }[] = []
    const service = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const { id, params } = JSON.parse(body) as { id: number; params: [string, string] }
      const { types, primaryType, domain, message } = JSON.parse(params[1])
      shown.push({ primaryType, message })
      const result = await account.signTypedData({ types, primaryType, domain: { ...domain, chainId: Number(domain.chainId) }, message })
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
    service.listen(0, '127.0.0.1')
    await once(service, 'listening')
    const owner = devnet.facts.accounts[2]
    const { code, stdout, stderr } = await runKeelson(
      [
        ...['validator', 'register', '--devnet', devnet.folder, '--key', account.address, '--amount', '1000', '--json'],
        ...['--signer.endpoint', `http://127.0.0.1:${(service.address() as AddressInfo).port}`],
      ],
      { env: { KEELSON_PRIVATE_KEY: owner?.privateKey as string } },
    )
    service.close()
    assert.equal(code, 0, `${stdout}${stderr}`)
    const signingKey = account.address.toLowerCase()
    const [itsOwner, nobody] = [owner?.address.toLowerCase(), `0x${'00'.repeat(20)}`]
    assert.deepEqual(shown, [{ primaryType: 'Registration', message: { owner: itsOwner, payout: itsOwner, signingKey, blockKey: nobody } }])
    const { key: registered, stakeWei, activeNextEpoch } = JSON.parse(stdout) as Record<string, unknown>
    assert.deepEqual([registered, stakeWei, activeNextEpoch], [signingKey, (10n ** 21n).toString(), true])
  })
})
