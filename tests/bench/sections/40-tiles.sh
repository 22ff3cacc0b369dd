# From tensors to tiles, and the tiling of one large matrix product.
passes_head 'From tensors to tiles, each pass alone'
passes tensor_kernels OptimizeOrchTensors ConvertTensorToTileOps OptimizeOrchTensors
passes tiles FoldNoOpReshape LowerCompositeOps FlattenTileNdTo2D LegalizeTileCast CanonicalizeTileSlice \
  InferTileMemorySpace InsertMxScaleAddr ResolveBackendOpLayouts NormalizeReturnOrder FoldNoOpReshape
passes matmuls AutoTileMatmulL0 AutoTileMatmulL0

# AutoTileMatmulL0 may take this long, in ms.
tiling_limit=20
if ms=$(pass_times 3 "$(shape matmul_4096 1)" --stop-after=AutoTileMatmulL0 | awk '$1 == "AutoTileMatmulL0" {print $2}'); then
  judge "$ms" $tiling_limit
  printf '%-34s %7.1f ms %1s (4096x4096x4096 in bf16, at most %d ms)\n' 'AutoTileMatmulL0, one product' \
    "$ms" "$mark" $tiling_limit
else
  failed 'AutoTileMatmulL0, one product'
fi
