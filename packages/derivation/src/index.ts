/** L1 data to L2 payload attributes, and the codecs of everything in between. Pure. */
export * from './attributes-builder.ts'
export * from './codec/index.ts'
export * from './errors.ts'
export * from './observer.ts'
export * from './pipeline/pipeline.ts'
export * from './pipeline/stage.ts'
export * from './ports.ts'
