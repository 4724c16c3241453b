/** Balances as `balanceOf` of each contract answers them: the events of these tokens are missing or say something else. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { addressWord, encodeCall } from '@keelson/contracts'
import { type Address, bytesToHex, concatBytes, type GenesisAccount, type Hex, hexToBytes, keccak256, toAddress } from '@keelson/primitives'
import { createMetrics, createSilentLogger } from '@keelson/runtime'
import { type IndexedWorld, openIndexedWorld, openTestIndex, type TestIndex } from '../../../../../test/support/index/index-world.ts'
import { createLiveState } from '../chain/live-state.ts'
import { createTokenCalls } from '../chain/token-calls.ts'
import { createIndexHttp, type IndexHttp } from '../http/index-http.ts'
import type { Database } from '../storage/database.ts'
import { createHolderStore } from '../storage/holder-store.ts'
import { openMemoryPglite } from '../storage/open-pglite.ts'
import { findGenesisTokens } from '../tokens/genesis-tokens.ts'
import { createCompilers } from '../verify/compilers/compilers.ts'
import { createProjectContracts } from '../verify/project-contracts.ts'
import { createHolderReader, type HolderReader } from './holder-reader.ts'

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
const FILE = 'Tokens.sol'
const BASE = `contract Base {
  mapping(address => uint) b;
  uint public totalSupply;
  event Transfer(address indexed from, address indexed to, uint value);
  event Sent(address indexed from, address indexed to);
  function decimals() external pure returns (uint8) { return 6; }
  function symbol() external pure returns (string memory) { return "T"; }
  function balanceOf(address a) public view virtual returns (uint) { return b[a]; }
  function move(address f, address t, uint v) external virtual { b[f] -= v; b[t] += v; emit Transfer(f, t, v); }
}`
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
${BASE}
contract Plain is Base {}
contract Fee is Base {
  function move(address f, address t, uint v) external override { b[f] -= v; b[t] += v * 9 / 10; emit Transfer(f, t, v); }
}
contract Rebasing is Base {
  uint extra;
  function balanceOf(address a) public view override returns (uint) { return b[a] * (1 + extra); }
  function rebase() external { extra += 1; }
}
contract Silent is Base {
  function move(address f, address t, uint v) external override { b[f] -= v; b[t] += v; emit Sent(f, t); }
}
contract Wrapped is Base {
  event Deposit(address indexed dst, uint wad);
  event Withdrawal(address indexed src, uint wad);
  function deposit(address to, uint v) external { b[to] += v; emit Deposit(to, v); }
  function withdraw(address from, uint v) external { b[from] -= v; emit Withdrawal(from, v); }
}
contract Nft {
  mapping(address => uint) b;
  event Transfer(address indexed from, address indexed to, uint indexed id);
  function supportsInterface(bytes4 id) external pure returns (bool) { return id == 0x80ac58cd; }
  function balanceOf(address a) external view returns (uint) { return b[a]; }
  function move(address f, address t, uint id) external { b[f] -= 1; b[t] += 1; emit Transfer(f, t, id); }
}
contract Many {
  mapping(address => uint) b;
  event TransferSingle(address indexed operator, address indexed from, address indexed to, uint id, uint value);
  function supportsInterface(bytes4 id) external pure returns (bool) { return id == 0xd9b67a26; }
  function balanceOf(address a, uint) external view returns (uint) { return b[a]; }
  function move(address f, address t, uint v) external { b[f] -= v; b[t] += v; emit TransferSingle(msg.sender, f, t, 7, v); }
}
contract Vault {
  event Deposit(address indexed dst, uint wad);
  function deposit(address to, uint v) external { emit Deposit(to, v); }
  function balanceOf(address) external pure returns (uint) { return 1; }
}
`
const NAMES = ['Plain', 'Fee', 'Rebasing', 'Silent', 'Wrapped', 'Nft', 'Many', 'Vault'] as const
type Name = (typeof NAMES)[number]

const ALICE = toAddress(`0x${'a1'.repeat(20)}`)
const BOB = toAddress(`0x${'b0'.repeat(20)}`)
const ADDRESSES = Object.fromEntries(NAMES.map((name, i) => [name, toAddress(`0x${'70'.repeat(19)}${(16 + i).toString(16)}`)])) as Record<
  Name,
  Address
>
const AT_GENESIS = 100_000n
const word = (value: bigint) => hexToBytes(`0x${value.toString(16).padStart(64, '0')}` as Hex)
/** The entry of ALICE in the mapping at slot 0. Solidity's layout of storage */
const slotOfAlice = keccak256(concatBytes(hexToBytes(addressWord(ALICE)), word(0n)))

function compile(): readonly GenesisAccount[] {
  const settings = { evmVersion: 'paris', outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } } }
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources: { [FILE]: { content: SOURCE } }, settings })))
  return NAMES.map((name) => ({
    address: ADDRESSES[name],
    nonce: 1n,
    balanceWei: 0n,
    code: hexToBytes(`0x${output.contracts[FILE][name].evm.deployedBytecode.object}`),
    storage: [
      [slotOfAlice, word(AT_GENESIS)],
      [word(1n), word(AT_GENESIS)],
    ] as const,
  }))
}

describe('balances of tokens in the index', function () {
  this.timeout(180_000)
  let world: IndexedWorld
  let db: Database
  let index: TestIndex
  let reader: HolderReader
  let http: IndexHttp
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, picked apart by the test
  const get = async (path: string): Promise<any> => (await http.app.inject({ url: path, remoteAddress: '192.0.2.1' })).json()
  const call = (name: Name, signature: string, args: readonly (Address | bigint)[]) => ({
    from: 0,
    to: ADDRESSES[name],
    data: bytesToHex(encodeCall(signature, args)),
  })
  const move = (name: Name, amount: bigint) => call(name, 'move(address,address,uint256)', [ALICE, BOB, amount])
  const settle = async () => {
    await index.follower.step()
    while ((await reader.step()) === 0);
  }
  const holders = async (name: Name): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await get(`/api/tokens/${ADDRESSES[name]}/holders`)).items.map(({ address, balance }: Record<string, string>) => [address, balance]),
    )
  before(async () => {
    const alloc = compile()
    const alice = { address: ALICE, nonce: 0n, balanceWei: 1n, code: new Uint8Array(0), storage: [] }
    world = await openIndexedWorld([...alloc, alice] as never)
    db = await openMemoryPglite()
    index = await openTestIndex(world, db)
    const clock = world.execution.clock
    reader = createHolderReader({
      calls: createTokenCalls(world.rpc),
      store: createHolderStore(db),
      genesisTokens: () => findGenesisTokens([...alloc, alice]),
      genesisBlock: 0,
      isWriting: () => index.follower.writing,
      clock,
      log: createSilentLogger(),
    })
    const options = {
      host: '127.0.0.1',
      port: 0,
      virtualHosts: [],
      corsOrigins: [],
      rate: { perSec: 1_000, burst: 1_000 },
      trusted: [],
      proxies: [],
    }
    const own = { chainId: world.execution.chainId, clock, log: createSilentLogger(), metrics: createMetrics('index') }
    http = createIndexHttp(options, {
      database: db,
      live: createLiveState(world.rpc),
      projectContracts: createProjectContracts([]),
      compilers: createCompilers({ folder: '', published: [] }, own),
      follower: index.follower,
      l1: null,
      ...own,
    })
    await settle()
  })
  after(async () => {
    await http.app.close()
    await world.stop()
    await db.close()
  })

  it('count what the first state holds, before any event', async () => {
    for (const name of ['Plain', 'Fee', 'Rebasing', 'Silent', 'Wrapped', 'Nft'] as const) {
      const token = await get(`/api/tokens/${ADDRESSES[name]}`)
      assert.deepEqual([name, token.kind, token.firstBlock, token.holders], [name, name === 'Nft' ? 'ERC-721' : 'ERC-20', 0, 1])
      assert.deepEqual(await holders(name), { [ALICE]: AT_GENESIS.toString() })
    }
    const held = (await get(`/api/addresses/${ALICE}/tokens`)).items
    assert.deepEqual(held.map(({ source }: { source: string }) => source).join(), Array(6).fill('contract').join())
  })

  it('refuse a contract that has a balanceOf and is no token', async () => {
    assert.equal((await get(`/api/tokens/${ADDRESSES.Vault}`)).error, 'not-found')
    await world.mine([call('Vault', 'deposit(address,uint256)', [BOB, 5n])])
    await settle()
    assert.equal((await get(`/api/tokens/${ADDRESSES.Vault}`)).error, 'not-found')
  })

  const rows: readonly { readonly what: string; readonly name: Name; readonly after: readonly [bigint, bigint] }[] = [
    { what: 'a transfer of what the first state holds', name: 'Plain', after: [99_000n, 1_000n] },
    { what: 'a transfer that takes a fee its event does not name', name: 'Fee', after: [99_000n, 900n] },
    { what: 'a transfer of a rebasing token', name: 'Rebasing', after: [99_000n, 1_000n] },
    { what: 'a transfer with an event of another name', name: 'Silent', after: [99_000n, 1_000n] },
    { what: 'a single token of EIP-721', name: 'Nft', after: [99_999n, 1n] },
    { what: 'an amount of an id of EIP-1155', name: 'Many', after: [99_000n, 1_000n] },
  ]
  for (const { what, name, after } of rows) {
    it(`follow ${what}`, async () => {
      await world.mine([move(name, 1_000n)])
      await settle()
      assert.deepEqual(await holders(name), { [ALICE]: after[0].toString(), [BOB]: after[1].toString() })
      assert.equal((await get(`/api/tokens/${ADDRESSES[name]}`)).holders, 2)
    })
  }

  it('follow deposits and withdrawals of wrapped coins, which emit no transfer', async () => {
    await world.mine([call('Wrapped', 'deposit(address,uint256)', [BOB, 40n])])
    await settle()
    assert.deepEqual(await holders('Wrapped'), { [ALICE]: AT_GENESIS.toString(), [BOB]: '40' })
    await world.mine([call('Wrapped', 'withdraw(address,uint256)', [BOB, 40n])])
    await settle()
    assert.deepEqual(await holders('Wrapped'), { [ALICE]: AT_GENESIS.toString() })
  })

  it('follow a rebase, which emits nothing', async () => {
    await world.mine([call('Rebasing', 'rebase()', [])])
    await index.follower.step()
    assert.deepEqual(await holders('Rebasing'), { [ALICE]: '198000', [BOB]: '2000' })
  })

  it('go back with an abandoned branch', async () => {
    const before = await holders('Plain')
    const parent = world.execution.node.chain.label('unsafe').hash
    await world.mine([move('Plain', 5n)])
    await settle()
    assert.notDeepEqual(await holders('Plain'), before)
    await world.mine([], parent)
    await world.mine([])
    await settle()
    assert.deepEqual(await holders('Plain'), before)
    const [row] = await db.query<{ balance: string }>('select max(balance)::text as balance from token_holders where token = $1', [
      hexToBytes(ADDRESSES.Plain),
    ])
    assert.equal(row?.balance, '99000')
  })

  it('say beside the balance what the events add up to', async () => {
    const [first] = (await get(`/api/tokens/${ADDRESSES.Fee}/holders`)).items
    assert.deepEqual([first.source, first.fromEvents], ['contract', '-1000'])
  })
})
