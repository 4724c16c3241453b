export { createBeaconShim } from './beacon-shim.ts'
export { createBlobArchive } from './blob-archive.ts'
export { createBlobSource, createL1Blocks } from './l1-blocks.ts'
