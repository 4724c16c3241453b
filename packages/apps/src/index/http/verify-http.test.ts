import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { type Address, type Hex, hexToBytes, toAddress } from '@keelson/primitives'
import { createManualClock, createMetrics, createSilentLogger, type IpNetwork, type ManualClock, parseIpNetwork } from '@keelson/runtime'
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
import { COMPILER_VERSION } from '../verify/compile-thread.ts'
import { createIndexHttp, type IndexHttp } from './index-http.ts'
import { MAX_VERIFY_BYTES } from './verify-routes.ts'

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
const WORD_OF_7 = `0x${'07'.padStart(64, '0')}` as const

describe('the verification of contracts', function () {
  this.timeout(60_000)
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
        corsOrigins: [],
        rate: { perSec: 1_000, burst: 1_000 },
        trusted: [],
        proxies: [parseIpNetwork('127.0.0.1') as IpNetwork],
      },
      {
        database: db,
        live: createLiveState(world.rpc),
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
    compilerVersion: COMPILER_VERSION,
    contract: `${FILE}:${name}`,
    source: SOURCE,
    settings: SETTINGS,
    ...changes,
  })

  before(async () => {
    db = await openMemoryPglite()
    world = await openIndexedWorld([
      contract(DELEGATING, hexToBytes(`0xef0100${EMITTER.slice(2)}`)),
      contract(OWN_CONTRACTS.Agents, hexToBytes('0x00')),
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
      ['exact', COMPILER_VERSION, { [FILE]: SOURCE }, SETTINGS],
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
    assert.equal((await post(changing, submission('Plain'))).body.verified.match, 'exact')
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
    assert.deepEqual([status, body.expected], [400, `compilerVersion: ${COMPILER_VERSION}`])
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

  it('limits compilations by caller, uploads by caller, and the queue', async () => {
    const codes: number[] = []
    for (let i = 0; i < 6; i++) codes.push((await post(plain, submission('Plain', { source: 'x' }), '198.51.100.1')).status)
    assert.deepEqual(codes, [422, 422, 422, 422, 422, 429])
    const together = await Promise.all([1, 2, 3].map(() => post(plain, submission('Plain', { source: 'x' }), '203.0.113.1')))
    assert.deepEqual(together.map(({ status }) => status).sort(), [422, 422, 503])
    const first = post(plain, submission('Plain', { source: doubling(26) }))
    await untilCompiling()
    const others = Array.from({ length: 7 }, () => post(plain, submission('Plain', { source: 'x' })))
    const many = await Promise.all([first, ...others])
    assert.deepEqual(many.map(({ status }) => status).sort(), [422, 422, 422, 422, 422, 503, 503, 503])
  })

  it('says where the ABI of the contracts of this project is', async () => {
    const { name, source, abi } = (await get(OWN_CONTRACTS.Agents)).project
    assert.equal(name, 'Agents')
    for (const file of [source, abi]) assert.ok(existsSync(new URL(`../../../../../${file}`, import.meta.url)), file)
    assert.equal((await get(plain)).project, null)
  })
})

/** A function whose code doubles with every modifier. */
function doubling(times: number): string {
  const names = Array.from({ length: times }, (_, i) => `m${i}`)
  const modifiers = names.map((name) => `modifier ${name}() { x++; _; x--; _; }`)
  return `${HEAD}contract Plain { uint x; ${modifiers.join(' ')} function f() external ${names.join(' ')} { x += 2; } }`
}
