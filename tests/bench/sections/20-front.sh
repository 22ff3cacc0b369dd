# Reading and printing the language, with what is printed read again and compared, and without.
speed_head 'Parse and print'
speed 'without verification' versions --passes=none --emit=pir --verify=none -o /dev/null
speed 'with verification (roundtrip)' versions --passes=none --emit=pir --verify=roundtrip -o /dev/null
