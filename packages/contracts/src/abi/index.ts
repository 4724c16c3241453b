export * from './abi-decode.ts'
export * from './abi-encode.ts'
export * from './abi-type.ts'
