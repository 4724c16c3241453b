import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '@keelson/runtime'
import { chatModel } from './platform-chat.ts'

const NONE = { chatProvider: null, chatUrl: null, chatModelName: null, chatKey: null, chatKeyFile: null, chatMaxTokens: 2_048 }

describe('the model of the platform command', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'platform-chat-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('is none without a provider', async () => assert.equal(await chatModel(NONE), null))

  it('takes its key from a file that nobody else reads, or from where other secrets come', async () => {
    const chatKeyFile = join(folder, 'key')
    writeFileSync(chatKeyFile, 'hidden-word\n', { mode: 0o600 })
    const anthropic = { ...NONE, chatProvider: 'anthropic' as const, chatModelName: 'm' }
    const fromFile = await chatModel({ ...anthropic, chatKeyFile })
    assert.deepEqual([fromFile?.url, fromFile?.key?.reveal()], ['https://api.anthropic.com/v1', 'hidden-word'])
    const given = await chatModel({ ...anthropic, chatKey: new Secret('other') })
    assert.equal(given?.key?.reveal(), 'other')
    const local = { ...NONE, chatProvider: 'openai' as const, chatModelName: 'm', chatUrl: 'http://127.0.0.1:1/v1' }
    assert.equal((await chatModel(local))?.key, null)
  })

  it('is refused when something is missing or said twice, without a word of the key', async () => {
    const open = join(folder, 'open')
    writeFileSync(open, 'hidden-word', { mode: 0o644 })
    const openai = { ...NONE, chatProvider: 'openai' as const, chatModelName: 'm', chatUrl: 'http://127.0.0.1:1/v1' }
    const wrong = [
      [{ ...NONE, chatModelName: 'm' }, /--chat\.provider/],
      [{ ...openai, chatModelName: null }, /--chat\.model/],
      [{ ...openai, chatUrl: null }, /--chat\.url/],
      [{ ...openai, chatProvider: 'anthropic' as const }, /needs a key/],
      [{ ...openai, chatKey: new Secret('hidden-word'), chatKeyFile: open }, /both given/],
      [{ ...openai, chatKeyFile: open }, /others can use/],
      [{ ...openai, chatKeyFile: join(folder, 'none') }, /there is no file/],
    ] as const
    for (const [values, message] of wrong)
      await assert.rejects(
        chatModel(values),
        (error: Error & { code?: string }) =>
          error.code === 'node/usage' && message.test(error.message) && !error.message.includes('hidden-word'),
      )
  })
})
