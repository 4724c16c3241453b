import assert from 'node:assert/strict'
import { bytesToHex } from '@keelson/primitives'
import { openContainer } from '@keelson/validator'
import type { ConformanceGroup } from '../group.ts'
import { loadEthereumTests } from '../vectors/ethereum-tests.ts'

interface KeyStoreTest {
  readonly json: unknown
  readonly password: string
  readonly priv: string
}

async function judge({ json, password, priv }: KeyStoreTest): Promise<void> {
  const text = JSON.stringify(json)
  assert.equal(bytesToHex((await openContainer(text, password)).reveal()), `0x${priv.replace(/^0x/, '')}`)
  await assert.rejects(openContainer(text, `${password}?`), 'another password should not open it')
}

export const keyStoreTests: ConformanceGroup = {
  name: 'key-store-tests',
  under: ['ethereum-tests/'],
  load: (folder) =>
    loadEthereumTests(folder, { format: 'keystore' }, ({ id, content }) =>
      Object.entries(content as Readonly<Record<string, KeyStoreTest>>).map(([name, test]) => ({
        id: `${id}/${name}`,
        run: () => judge(test),
      })),
    ),
}
