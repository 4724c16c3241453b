import assert from 'node:assert/strict'
import { option, optionalOption } from './option.ts'
import * as parse from './parsers.ts'
import { resolveOptions } from './resolve-options.ts'
import { readSecretFiles } from './secret-files.ts'

const KEY = `0x${'11'.repeat(32)}`
const SET = {
  key: option({ key: 'privateKey', parse: parse.privateKey, secret: true, description: 'Key.' }),
  url: optionalOption({ key: 'database.url', env: 'DATABASE_URL', parse: parse.text, secret: true, description: 'Database.' }),
  host: option({ key: 'host', parse: parse.text, default: 'here', description: 'Host.' }),
}

function readFrom(files: Readonly<Record<string, string>>) {
  return (path: string) => {
    if (files[path] === undefined) throw new Error('ENOENT: no such file')
    return files[path]
  }
}

describe('secrets from files', () => {
  it('a key in a file of a container engine is used like an environment variable', () => {
    const read = readFrom({ '/run/secrets/key': `${KEY}\n`, '/run/secrets/db': 'postgres://u:p@h/d' })
    const env = readSecretFiles(SET, { KEELSON_PRIVATE_KEY_FILE: '/run/secrets/key', DATABASE_URL_FILE: '/run/secrets/db' }, read)
    const { values } = resolveOptions(SET, { env })
    assert.equal(Buffer.from(values.key.reveal()).toString('hex'), KEY.slice(2))
    assert.equal(values.url, 'postgres://u:p@h/d')
  })

  it('a secret is read from a file under its second name too', () => {
    const set = {
      key: option({ key: 'p2p.signerKey', alias: 'p2p.sequencer.key', parse: parse.privateKey, secret: true, description: 'Key.' }),
    }
    const env = readSecretFiles(set, { KEELSON_P2P_SEQUENCER_KEY_FILE: '/key' }, readFrom({ '/key': KEY }))
    assert.equal(Buffer.from(resolveOptions(set, { env }).values.key.reveal()).toString('hex'), KEY.slice(2))
  })

  it('an option that is not secret is not read from a file', () => {
    const { host } = resolveOptions(
      { host: SET.host },
      { env: readSecretFiles({ host: SET.host }, { KEELSON_HOST_FILE: '/etc/passwd' }, readFrom({})) },
    ).values
    assert.equal(host, 'here')
  })

  it('a file that the command has an option for is left to the command', () => {
    const set = { ...SET, file: optionalOption({ key: 'privateKeyFile', parse: parse.path, description: 'File of the key.' }) }
    const env = { KEELSON_PRIVATE_KEY_FILE: '/keystore.json' }
    assert.deepEqual(readSecretFiles(set, env, readFrom({ '/keystore.json': '{}' })), env)
  })

  it('an empty variable is not set', () => {
    const env = { KEELSON_PRIVATE_KEY_FILE: '', KEELSON_PRIVATE_KEY: KEY }
    assert.deepEqual(readSecretFiles(SET, env, readFrom({})), env)
  })

  it('a missing file, an empty one and a secret set twice are reported without the value', () => {
    const refused = (env: Readonly<Record<string, string>>, files: Readonly<Record<string, string>>, message: RegExp) =>
      assert.throws(
        () => readSecretFiles(SET, env, readFrom(files)),
        (error: Error & { code?: string }) =>
          error.code === 'runtime/options' && message.test(error.message) && !error.message.includes(KEY),
      )
    refused({ KEELSON_PRIVATE_KEY_FILE: '/none' }, {}, /KEELSON_PRIVATE_KEY_FILE: cannot read \/none: ENOENT/)
    refused({ KEELSON_PRIVATE_KEY_FILE: '/empty' }, { '/empty': '\n' }, /\/empty is empty/)
    refused({ KEELSON_PRIVATE_KEY_FILE: '/key', KEELSON_PRIVATE_KEY: KEY }, { '/key': KEY }, /both set; set one of them/)
  })
})
