# SPDX-License-Identifier: Apache-2.0
# Drops the .P that scdoc writes where no paragraph follows or a heading has just been: mandoc -Tlint warns of them.
/^\.P$/ { if (!heading) pending = 1; next }
/^\.(SH|SS|RE|RS|TP|P)/ && !/^\.RS/ { pending = 0 }
{ if (pending) print ".P"; pending = 0; heading = /^\.(SH|SS) /; print }
