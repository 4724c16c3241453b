import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toAddress } from '@keelson/primitives'
import { findPayingAccount, notePayingAccount, sharedAccountWarning } from './paying-account.ts'

const [ONE, OTHER] = ['11', '22'].map((byte) => toAddress(`0x${byte.repeat(20)}`)) as [
  ReturnType<typeof toAddress>,
  ReturnType<typeof toAddress>,
]

describe('account that a running validator pays from', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-paying-'))
  after(() => rmSync(folder, { recursive: true }))

  it('is named to an owner who sends from it while it runs', async () => {
    const forget = notePayingAccount(folder, ONE)
    assert.match(sharedAccountWarning(folder, ONE) ?? '', new RegExp(`warning: .*${ONE}.*account of its own`))
    assert.equal(sharedAccountWarning(folder, OTHER), null)
    assert.equal(sharedAccountWarning(null, ONE), null)
    await forget()
    assert.equal(sharedAccountWarning(folder, ONE), null)
  })

  it('is forgotten with a process that was killed, and no note is no account', () => {
    for (const note of [JSON.stringify({ account: ONE, pid: 2 ** 30 }), '{', '{}', 'null']) {
      writeFileSync(join(folder, 'paying-account.json'), note)
      assert.equal(findPayingAccount(folder), null)
    }
  })
})
