/** Entry point of a worker thread, which does not inherit the TypeScript loader. */
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
