import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasCommand } from '../command.ts'
import { COMMANDS } from '../commands/all-commands.ts'
import { readConfigFiles } from './config-files.ts'
import { configNames } from './config-flag.ts'

describe('configuration files', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-config-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  const file = (content: unknown): string => {
    const path = join(folder, 'my.json')
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const read = (names: readonly string[], command: string) => readConfigFiles(names, command, (path) => hasCommand(COMMANDS, path))

  it('give a command its own section, a preset by its name', async () => {
    const path = file({ $schema: 'x', execution: { 'http.port': 1 }, 'validator run': { 'l2.rpc': 'http://h' } })
    assert.deepEqual(await read([path], 'execution'), [{ path, values: { 'http.port': 1 } }])
    assert.deepEqual(await read([path], 'validator run'), [{ path, values: { 'l2.rpc': 'http://h' } }])
    const [preset, own] = await read(['archive', path], 'execution')
    assert.match(preset?.path ?? '', /config\/roles\/archive\.json$/)
    assert.equal(preset?.values['state.mode'], 'archive')
    assert.equal(own?.path, path)
  })

  it('are refused when no file has a section for the command', async () => {
    const path = file({ execution: {} })
    await assert.rejects(read([path], 'batcher'), {
      code: 'node/config-file',
      message: `${path}: no section "batcher"; there is execution`,
    })
  })

  it('are refused for a section that names no command, although a preset has the one that runs', async () => {
    const path = file({ exection: {} })
    await assert.rejects(read(['archive', path], 'execution'), {
      message: `${path} has a section "exection", but there is no such command; did you mean "execution"?`,
    })
    await assert.rejects(read([file({ 'validator rn': {} })], 'execution'), /section "validator rn", but there is no such command/)
  })

  it('name the preset that was probably meant', async () => {
    await assert.rejects(
      read(['archve'], 'execution'),
      /no preset has the name "archve" \(did you mean archive\?\); the presets are archive, /,
    )
  })

  it('that cannot be read, or are no object of sections, are named with the reason', async () => {
    const missing = join(folder, 'missing.json')
    await assert.rejects(read([missing], 'execution'), { code: 'node/config-file', message: /missing\.json: ENOENT/ })
    await assert.rejects(read([file('{')], 'execution'), /my\.json is not JSON/)
    await assert.rejects(read([file([])], 'execution'), /my\.json must hold a JSON object/)
    await assert.rejects(read([file({ execution: 3 })], 'execution'), /"execution" in .*my\.json: expected a section/)
  })

  it('that are not JSON are not quoted, because they may hold a secret', async () => {
    for (const text of ['privateKey=0xsecret', '{"execution":{\n "privateKey": 0xsecret}}', '{"execution": {} secret'])
      await assert.rejects(read([file(text)], 'execution'), (error: Error) => {
        assert.match(error.message, /my\.json is not JSON/)
        assert.doesNotMatch(`${error.message} ${error.cause ?? ''}`, /secret/)
        return true
      })
    await assert.rejects(read([file('{"execution":{\n "port" 1}}')], 'execution'), /is not JSON: look at line 2, column 9/)
  })

  it('may begin with a byte order mark', async () => {
    assert.equal((await read([file('\uFEFF{"execution":{"http.port":1}}')], 'execution')).length, 1)
  })

  it('are found in the command line of a role', () => {
    assert.deepEqual(configNames(['execution', '--config', 'archive,a.json', '--http.port', '1', '--config=b.json']), [
      'archive',
      'a.json',
      'b.json',
    ])
    assert.deepEqual(configNames(['execution', '--http.port', '1']), [])
  })
})
