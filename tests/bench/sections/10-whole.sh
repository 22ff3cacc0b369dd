# The compiler as a whole: reading and printing, and the whole pipeline with the .pto written.
speed_head 'Whole programs'
for s in straight loops; do
  speed "parse and print, $s" $s --passes=none --emit=pir -o /dev/null
  speed "whole pipeline, $s" $s --emit=pto -o /dev/null
done
