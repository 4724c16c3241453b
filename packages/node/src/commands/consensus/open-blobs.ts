import { join } from 'node:path'
import { type BeaconClient, createBeaconClient, openBlobStore } from '@keelson/client'
import type { Kzg } from '@keelson/primitives'
import type { Role } from '../../role/role.ts'
import type { ConsensusValues } from './options.ts'

export async function openBlobs(values: ConsensusValues, kzg: Kzg, { crypto, clock, random, log }: Role): Promise<BeaconClient> {
  const directory = join(values.dataDir, 'blobs')
  const limits = { maxBytes: values.l1BlobCacheSize, maxAgeMs: values.l1BlobCacheAge }
  const store = await openBlobStore({ directory, ...limits }, { kzg, crypto, clock, log })
  return createBeaconClient({ urls: values.l1Beacon }, { kzg, crypto, clock, random, log, store })
}
