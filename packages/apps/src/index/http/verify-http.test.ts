import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { type Address, type Hex, hexToBytes, toAddress } from '@keelson/primitives'
import { createManualClock, createMetrics, createSilentLogger, type IpNetwork, type ManualClock, parseIpNetwork } from '@keelson/runtime'
import { getContractAddress } from 'viem'
import {
  contract,
  EMITTER,
  type IndexedWorld,
  openIndexedWorld,
  openTestIndex,
  type TestIndex,
} from '../../../../../test/support/index/index-world.ts'
import { createLiveState } from '../chain/live-state.ts'
import type { Database } from '../storage/database.ts'
import { openMemoryPglite } from '../storage/open-pglite.ts'
import { COMPILE_LIMIT_MS } from '../verify/compile-queue.ts'
import { BUNDLED_COMPILER, createCompilers } from '../verify/compilers/compilers.ts'
import { createProjectContracts, type ProjectContract } from '../verify/project-contracts.ts'
import { createIndexHttp, type IndexHttp } from './index-http.ts'
import { MAX_VERIFY_BYTES } from './verification/contract-verification.ts'

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }

const HEAD = '// SPDX-License-Identifier: MIT\npragma solidity 0.8.37;\n'
const SOURCE = `${HEAD}library Sums { function add(uint a, uint b) external pure returns (uint) { return a + b; } }
contract Box {
  uint public immutable first;
  uint public immutable second;
  constructor(uint a) { first = a; second = a + 1; }
  function sum() external view returns (uint) { return Sums.add(first, second); }
}
contract Plain { function answer() external pure returns (uint) { return 42; } }
contract Bare { function answer() external pure returns (uint) { return 43; } }
`
const SETTINGS = { evmVersion: 'paris', optimizer: { enabled: true, runs: 200 } }
const FILE = 'Box.sol'
const DELEGATING = toAddress(`0x${'de'.repeat(20)}`)
const LIBRARY = `0x${'5a'.repeat(20)}` as const
/** With an immutable, which a constructor filled. */
const AGENTS_CODE = hexToBytes(`0x6001507f${'00'.repeat(31)}07`)
const AGENTS: ProjectContract = { name: 'Agents', origin: 'a test', file: 'Agents.sol', sources: { 'Agents.sol': '//' }, abi: [] }
const PROJECT = createProjectContracts([{ contract: AGENTS, code: hexToBytes(`0x6001507f${'00'.repeat(32)}`) }])
const WORD_OF_7 = `0x${'07'.padStart(64, '0')}` as const

describe('the verification of contracts', function () {
  this.timeout(120_000)
  let world: IndexedWorld
  let db: Database
  let index: TestIndex
  let http: IndexHttp
  let clock: ManualClock
  let box: Address
  let plain: Address
  let bare: Address
  let caller = 0

  const creationOf = (name: string, settings: object = SETTINGS): Hex => {
    const outputSelection = { '*': { '*': ['evm.bytecode.object'] } }
    const input = { language: 'Solidity', sources: { [FILE]: { content: SOURCE } }, settings: { ...settings, outputSelection } }
    const code: string = JSON.parse(solc.compile(JSON.stringify(input))).contracts[FILE][name].evm.bytecode.object
    return `0x${code.replace(/__\$[0-9a-f]{34}\$__/g, LIBRARY.slice(2))}`
  }
  const deploy = async (data: Hex): Promise<Address> => {
    const block = await world.mine([{ from: 0, to: null, data }])
    const hash = block.transactions.at(-1)?.hash
    return (await world.execution.call('eth_getTransactionReceipt', hash as Hex)).contractAddress
  }
  const origin = () => `http://127.0.0.1:${(http.app.server.address() as AddressInfo).port}`
  const serve = () =>
    createIndexHttp(
      {
        host: '127.0.0.1',
        port: 0,
        virtualHosts: [],
        corsOrigins: [],
        rate: { perSec: 1_000, burst: 1_000 },
        trusted: [],
        proxies: [parseIpNetwork('127.0.0.1') as IpNetwork],
      },
      {
        database: db,
        live: createLiveState(world.rpc),
        projectContracts: PROJECT,
        compilers: createCompilers({ folder: '', published: [] }, { clock, log: createSilentLogger() }),
        follower: index.follower,
        l1: null,
        chainId: world.execution.chainId,
        clock,
        log: createSilentLogger(),
        metrics: createMetrics('index'),
      },
    )
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, picked apart by the test
  type Answer = { status: number; body: any }
  const post = async (address: string, payload: unknown, remoteAddress = `192.0.${++caller}.1`): Promise<Answer> => {
    const response = await fetch(`${origin()}/api/contracts/${address}/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': remoteAddress },
      body: typeof payload === 'string' ? payload : JSON.stringify(payload),
    })
    return { status: response.status, body: await response.json() }
  }
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const get = async (address: string): Promise<any> => (await fetch(`${origin()}/api/contracts/${address}`)).json()
  const untilCompiling = async () => {
    while (clock.sleepers.length === 0) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  const submission = (name: string, changes: object = {}) => ({
    compilerVersion: BUNDLED_COMPILER,
    contract: `${FILE}:${name}`,
    source: SOURCE,
    settings: SETTINGS,
    ...changes,
  })

  before(async () => {
    db = await openMemoryPglite()
    world = await openIndexedWorld([
      contract(DELEGATING, hexToBytes(`0xef0100${EMITTER.slice(2)}`)),
      contract(OWN_CONTRACTS.Agents, AGENTS_CODE),
      contract(OWN_CONTRACTS.Tasks, hexToBytes('0x00')),
    ])
    index = await openTestIndex(world, db)
    box = await deploy(`${creationOf('Box')}${WORD_OF_7.slice(2)}`)
    plain = await deploy(creationOf('Plain'))
    bare = await deploy(creationOf('Bare', { ...SETTINGS, metadata: { bytecodeHash: 'none', appendCBOR: false } }))
    await index.follower.step()
  })
  beforeEach(async () => {
    await db.query('delete from verified_contracts')
    clock = createManualClock(0)
    http = serve()
    await http.start(new AbortController().signal)
  })
  afterEach(() => http.stop())
  after(async () => {
    await world.stop()
    await db.close()
  })

  it('finds an exact match with immutables, a library and constructor arguments', async () => {
    const { status, body } = await post(box, submission('Box', { constructorArguments: WORD_OF_7 }))
    assert.equal(status, 200, JSON.stringify(body))
    const { verified } = await get(box)
    assert.deepEqual(verified, body.verified)
    assert.deepEqual(
      [verified.match, verified.compilerVersion, verified.sources, verified.settings],
      ['exact', BUNDLED_COMPILER, { [FILE]: SOURCE }, SETTINGS],
    )
    assert.deepEqual(verified.libraries, { [`${FILE}:Sums`]: LIBRARY })
    assert.deepEqual(verified.abi.map(({ name }: { name?: string }) => name ?? 'constructor').sort(), [
      'constructor',
      'first',
      'second',
      'sum',
    ])
  })

  it('serves the sources to another address with the same code', async () => {
    assert.equal((await post(plain, submission('Plain'))).status, 200)
    const twin = await deploy(creationOf('Plain'))
    assert.notEqual(twin, plain)
    assert.equal((await get(twin)).verified.match, 'runtime', 'its creation is not indexed yet')
    await index.follower.step()
    assert.equal((await get(twin)).verified.match, 'exact')
  })

  it('finds the constructor arguments of every address with the code by itself', async () => {
    const { body } = await post(box, submission('Box'))
    assert.equal(body.constructorArguments, WORD_OF_7)
    const twin = await deploy(`${creationOf('Box')}${WORD_OF_7.slice(2)}`)
    assert.equal((await get(twin)).constructorArguments, null)
    await index.follower.step()
    assert.equal((await get(twin)).constructorArguments, WORD_OF_7)
    assert.equal((await get(plain)).constructorArguments, null)
  })

  it('answers the interface of a contract, and that of its implementation', async () => {
    assert.equal((await post(plain, submission('Plain'))).status, 200)
    const clone = await deploy(`0x602d8060093d393df3363d3d373d3d3d363d73${plain.slice(2)}5af43d82803e903d91602b57fd5bf3`)
    const { implementation, abi } = await get(`${clone}/abi`)
    assert.deepEqual([abi, implementation.address, implementation.contract], [null, plain, 'Plain'])
    assert.deepEqual(
      implementation.abi.map(({ name }: { name: string }) => name),
      ['answer'],
    )
    assert.equal((await get(`${plain}/abi`)).implementation, null)
  })

  it('shows sources by the code of an address, also when a reorg puts other code there', async () => {
    const parent = world.execution.node.chain.label('unsafe').hash
    const changing = await deploy(creationOf('Plain'))
    assert.equal((await post(changing, submission('Plain'))).body.verified.match, 'runtime')
    await world.mine([{ from: 0, to: null, data: creationOf('Bare') }], parent)
    assert.equal((await get(changing)).verified, null)
    assert.equal((await get(plain)).verified.match, 'exact')
  })

  it('calls sources partial that differ in a comment only, until an exact match replaces them', async () => {
    const commented = submission('Plain', { source: SOURCE.replace('contract Plain', '/* note */ contract Plain') })
    assert.equal((await post(plain, commented)).body.verified.match, 'partial')
    assert.equal((await post(plain, submission('Plain'))).body.verified.match, 'exact')
    const { body } = await post(plain, commented)
    assert.deepEqual([body.verified.match, body.verified.sources[FILE]], ['exact', SOURCE])
  })

  const runtimeOf = async (address: Address): Promise<Hex> => world.execution.call('eth_getCode', address, 'latest') as Promise<Hex>
  /** After `before`: PUSH2 size, DUP1, PUSH2 offset, PUSH1 0, CODECOPY, PUSH1 0, RETURN. */
  const returning = (code: Hex, before: string): Hex => {
    const size = ((code.length - 2) / 2).toString(16).padStart(4, '0')
    const at = (before.length / 2 + 13).toString(16).padStart(4, '0')
    return `0x${before}61${size}8061${at}6000396000f3${code.slice(2)}`
  }

  it('calls a contract runtime only whose creation code stored something else and returned the code of a harmless source', async () => {
    const runtime = await runtimeOf(plain)
    // PUSH1 1, PUSH1 0, SSTORE: what the source's constructor does not do.
    for (const before of ['6001600055', '']) {
      const evil = await deploy(returning(runtime, before))
      await index.follower.step()
      assert.equal(await runtimeOf(evil), runtime)
      for (const answer of [(await post(evil, submission('Plain'))).body, await get(evil)]) {
        assert.deepEqual([answer.verified.match, answer.constructorArguments], ['runtime', null], before)
      }
      assert.equal((await get(plain)).verified.match, 'exact', 'the honest contract with the same code')
    }
  })

  it('calls a contract runtime only whose creation is not a transaction: one of the genesis, or of a factory', async () => {
    const runtime = await runtimeOf(plain)
    // CREATE of the honest creation code, by another contract: PUSH2 size, DUP1, PUSH2 offset, PUSH1 0, CODECOPY, PUSH1 0, PUSH1 0, CREATE, STOP.
    const honest = creationOf('Plain').slice(2)
    const size = (honest.length / 2).toString(16).padStart(4, '0')
    const factory = await deploy(`0x61${size}8061001060003960006000f000${honest}`)
    await index.follower.step()
    const made = getContractAddress({ from: factory, nonce: 1n }).toLowerCase() as Address
    assert.equal(await runtimeOf(made), runtime)
    assert.equal((await post(made, submission('Plain'))).body.verified.match, 'runtime')
  })

  it('calls code without a metadata hash partial', async () => {
    const settings = { ...SETTINGS, metadata: { bytecodeHash: 'none', appendCBOR: false } }
    assert.equal((await post(bare, submission('Bare', { settings }))).body.verified.match, 'partial')
  })

  it('stores only the sources that the compiler used', async () => {
    const sources = { [FILE]: { content: SOURCE }, 'Unused.sol': { content: `${HEAD}contract Unused {}` } }
    const standardJson = { language: 'Solidity', sources, settings: { ...SETTINGS, outputSelection: { '*': { '*': ['*'] } } } }
    const { compilerVersion, contract } = submission('Plain')
    const { body } = await post(plain, { compilerVersion, contract, standardJson })
    assert.deepEqual(Object.keys(body.verified.sources), [FILE])
  })

  it('refuses sources, settings and constructor arguments of another contract', async () => {
    for (const [problem, address, payload] of [
      ['mismatch', plain, submission('Plain', { source: SOURCE.replace('42', '44') })],
      ['mismatch', plain, submission('Plain', { settings: { ...SETTINGS, evmVersion: 'osaka' } })],
      ['mismatch', plain, submission('Box')],
      ['mismatch', EMITTER, submission('Plain')],
      ['constructor-arguments', box, submission('Box', { constructorArguments: WORD_OF_7.replace('7', '8') })],
      ['compile-failed', plain, submission('Plain', { source: 'contract Plain {' })],
      ['compile-failed', plain, submission('Nowhere')],
      ['compile-failed', plain, submission('toString')],
      ['compile-failed', plain, submission('*')],
    ] as const) {
      const { status, body } = await post(address, payload)
      assert.deepEqual([status, body.error], [422, problem], JSON.stringify(body))
    }
    assert.equal((await get(plain)).verified, null)
  })

  it('names its compilers when the version is another', async () => {
    const { status, body } = await post(plain, submission('Plain', { compilerVersion: '0.8.20' }))
    assert.equal(status, 400)
    assert.match(body.expected, /^compilerVersion: a release of solc from 0\.8\.37 to 0\.8\.37\+commit\.f401782d;/)
    assert.equal((await post(plain, submission('Plain', { compilerVersion: 'v0.8.37' }))).status, 200)
  })

  it('refuses imports from files and addresses, unknown settings and malformed bodies before it compiles', async () => {
    const json = (standardJson: object) => submission('Plain', { source: undefined, settings: undefined, standardJson })
    const sources = { [FILE]: { content: SOURCE } }
    for (const payload of [
      json({ language: 'Solidity', sources: { [FILE]: { urls: ['file:///etc/passwd'] } } }),
      json({ language: 'Solidity', sources: { [FILE]: { content: SOURCE, urls: ['https://localhost/'] } } }),
      json({ language: 'Yul', sources }),
      json({ language: 'Solidity', sources, settings: { modelChecker: { engine: 'all' } } }),
      json({ language: 'Solidity', sources, settings: { toString: true } }),
      json({ language: 'Solidity', sources: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i}.sol`, { content: '' }])) }),
      submission('Plain', { contract: 'Plain' }),
      submission('Plain', { contract: 'Other.sol:Plain', source: undefined, standardJson: { language: 'Solidity', sources } }),
      submission('Plain', { constructorArguments: '0x1' }),
      submission('Plain', { source: 5 }),
      '[]',
      'null',
      '{"__proto__": {"source": ""}}',
      `${'{"settings":'.repeat(80_000)}1${'}'.repeat(80_000)}`,
      `{"standardJson": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ]) {
      const { status, body } = await post(plain, payload)
      assert.deepEqual([status, body.error], [400, 'bad-request'], JSON.stringify(payload).slice(0, 200))
    }
    assert.equal((await post(plain, submission('Plain', { source: ' '.repeat(MAX_VERIFY_BYTES) }))).status, 413)
    const { body } = await post(plain, submission('Plain', { source: `${HEAD}import "/etc/passwd"; contract Plain {}` }))
    assert.deepEqual([body.error, body.message.includes('not among the sources')], ['compile-failed', true])
  })

  it('compiles nothing for addresses without code and for accounts that delegate', async () => {
    const { status, body } = await post(`0x${'ee'.repeat(20)}`, submission('Plain', { source: 'not Solidity' }))
    assert.deepEqual([status, body.error], [404, 'not-found'])
    const delegating = await post(DELEGATING, submission('Plain', { source: 'not Solidity' }))
    assert.deepEqual([delegating.status, delegating.body.error], [422, 'delegation'])
    assert.ok(delegating.body.message.includes(EMITTER))
  })

  it('survives sources that nest deeply and sources that need much memory', async () => {
    const deep = `contract Plain { uint x = ${'('.repeat(200_000)}1${')'.repeat(200_000)}; }`
    assert.equal((await post(plain, submission('Plain', { source: deep }))).status, 422)
    assert.equal((await post(plain, submission('Plain', { source: doubling(26) }))).body.error, 'compile-limit')
    assert.equal((await post(plain, submission('Plain'))).body.verified.match, 'exact')
  })

  it('ends a compilation at its time limit and then compiles the next', async () => {
    const slow = post(plain, submission('Plain', { source: doubling(26) }))
    await untilCompiling()
    const next = post(plain, submission('Plain'))
    await clock.advance(COMPILE_LIMIT_MS)
    assert.deepEqual([(await slow).body.error, (await next).body.verified.match], ['compile-limit', 'exact'])
  })

  it('charges the sources that a caller may have stored, of which it has 8 MiB at once', async function () {
    // Nine compilations.
    this.timeout(240_000)
    const large = submission('Plain', { source: `x${' '.repeat(1_000_000)}` })
    const statuses: number[] = []
    for (let i = 0; i < 9; i++) {
      statuses.push((await post(plain, large, '198.51.100.9')).status)
      // Pays for the compiler, and for little of the day.
      await clock.advance(60_000)
    }
    assert.deepEqual(statuses, [...Array<number>(8).fill(422), 429])
  })

  it('takes two uploads of a caller at once', async () => {
    const together = await Promise.all([1, 2, 3].map(() => post(plain, submission('Plain', { source: 'x' }), '203.0.113.1')))
    assert.deepEqual(together.map(({ status }) => status).sort(), [422, 422, 503])
  })

  it('has source and ABI of a contract of the project without an upload, and none for other code at its address', async () => {
    const { project, verified } = await get(OWN_CONTRACTS.Agents)
    assert.deepEqual([project.name, project.file, verified], ['Agents', 'Agents.sol', null])
    const { contract, abi } = (await http.app.inject({ url: `/api/contracts/${OWN_CONTRACTS.Agents}/abi` })).json()
    assert.deepEqual([contract, abi], ['Agents', project.abi])
    assert.equal((await get(OWN_CONTRACTS.Tasks)).project, null)
    assert.equal((await get(plain)).project, null)
  })
})

/** A function whose code doubles with every modifier. */
function doubling(times: number): string {
  const names = Array.from({ length: times }, (_, i) => `m${i}`)
  const modifiers = names.map((name) => `modifier ${name}() { x++; _; x--; _; }`)
  return `${HEAD}contract Plain { uint x; ${modifiers.join(' ')} function f() external ${names.join(' ')} { x += 2; } }`
}
