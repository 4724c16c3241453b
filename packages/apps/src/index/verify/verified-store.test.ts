import assert from 'node:assert/strict'
import { keccak256Hash, utf8ToBytes } from '@keelson/primitives'
import { INDEX_ENGINES } from '../../../../../test/support/index/index-engines.ts'
import { prepareDatabase } from '../storage/migrate.ts'
import { createVerifiedStore, type VerifiedContract } from './verified-store.ts'
import { VerifyRefusal } from './verify-refusal.ts'

const HASH = keccak256Hash(utf8ToBytes('code'))
const contractOf = (changes: Partial<VerifiedContract> = {}): VerifiedContract => ({
  match: 'partial',
  file: 'Töken.sol',
  contract: 'Token',
  compilerVersion: '0.8.37',
  settings: { viaIR: true },
  sources: { 'Töken.sol': 'contract Token { string x = "\\u0000 € \u{1f511}"; }' },
  abi: [{ type: 'function', name: 'x' }],
  libraries: {},
  creation: { bytes: 7, hash: HASH },
  ...changes,
})

for (const engine of INDEX_ENGINES) {
  describe(`verified contracts in ${engine.name}`, () => {
    let opened: Awaited<ReturnType<typeof engine.open>>
    before(async () => {
      opened = await engine.open()
      await prepareDatabase(opened.first, { chainId: 901n, genesisHash: HASH })
    })
    beforeEach(() => opened.first.query('delete from verified_contracts'))
    after(() => opened.close())

    it('are read as they were saved', async () => {
      const store = createVerifiedStore(opened.first)
      assert.equal(await store.find(HASH), null)
      await store.save(HASH, contractOf())
      assert.deepEqual(await store.find(HASH), contractOf())
    })

    it('become exact once, in whatever order two uploads end', async () => {
      const store = createVerifiedStore(opened.first)
      const exact = contractOf({ match: 'exact', contract: 'Exact' })
      const others = ['A', 'B'].map((contract) => contractOf({ contract }))
      await Promise.all([...others, exact].map((one) => store.save(HASH, one)))
      assert.deepEqual(await store.save(HASH, contractOf({ contract: 'Late' })), exact)
      assert.deepEqual(await store.save(HASH, { ...exact, contract: 'Later' }), exact)
    })

    it('are replaced by a better match only, so that the first stranger does not keep a contract', async () => {
      const store = createVerifiedStore(opened.first)
      const claims = contractOf({ contract: 'AuditedVault', creation: null })
      await store.save(HASH, claims)
      assert.deepEqual(await store.save(HASH, { ...claims, contract: 'Other' }), claims)
      const own = contractOf()
      for (const better of [own, contractOf({ match: 'exact', creation: null }), contractOf({ match: 'exact' })]) {
        assert.deepEqual(await store.save(HASH, better), better)
        assert.deepEqual(await store.save(HASH, claims), better)
      }
    })

    it('drop worse and larger ones of a full store, such as tiny contracts with a comment of 1 MiB', async () => {
      const store = createVerifiedStore(opened.first, 50_000)
      const hashOf = (name: string) => keccak256Hash(utf8ToBytes(name))
      const padded = contractOf({ match: 'exact', sources: { 'A.sol': ' '.repeat(10_000) } })
      for (const name of ['p1', 'p2', 'p3', 'p4']) await store.save(hashOf(name), padded)
      await store.save(hashOf('claim'), contractOf({ sources: { 'A.sol': ' '.repeat(5_000) } }))
      const honest = contractOf({ match: 'exact', sources: { 'A.sol': 'x'.repeat(8_000) } })
      for (const name of ['h1', 'h2']) assert.deepEqual(await store.save(hashOf(name), honest), honest)
      assert.equal(await store.find(hashOf('claim')), null, 'a claim goes first')
      const left = await Promise.all(['p1', 'p2', 'p3', 'p4'].map((name) => store.find(hashOf(name))))
      assert.equal(left.filter((one) => one === null).length, 1)
    })

    it('are refused when the store is full, and those in it stay', async () => {
      const store = createVerifiedStore(opened.first, 1_000)
      await store.save(HASH, contractOf())
      const large = contractOf({ sources: { 'A.sol': ' '.repeat(1_000) } })
      const saving = store.save(keccak256Hash(utf8ToBytes('other')), large)
      await assert.rejects(saving, (error) => error instanceof VerifyRefusal && error.problem === 'full')
      assert.deepEqual(await store.find(HASH), contractOf())
    })
  })
}
